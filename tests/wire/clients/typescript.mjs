// The official TypeScript clients as referees: one line of stdin is a conversation, one line of stdout the verdict.
//
// A conversation is {"protocol": …, "answers": {method: text of the response's result}}; the verdict is
// {"failed": method or null, "why": …}. Every message passes through the client's own deserializer.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [modules, generation] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(`${modules}/@modelcontextprotocol/${path}`).href);
const first = generation === "1";
const { Client } = await load(first ? "sdk/dist/esm/client/index.js" : "client/dist/index.mjs");
const { deserializeMessage } = await load(first ? "sdk/dist/esm/shared/stdio.js" : "client/dist/index.mjs");

class Scripted {
  constructor(answers) {
    this.answers = answers;
  }
  async start() {}
  async close() {
    this.onclose?.();
  }
  async send(message) {
    if (message.id === undefined) return;
    this.asked = message.method;
    const result = this.answers[message.method];
    const rest = result === undefined ? `"error":{"code":-32601,"message":"Method not found"}` : `"result":${result}`;
    let read;
    try {
      read = deserializeMessage(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},${rest}}`);
    } catch (error) {
      this.why = error;
      queueMicrotask(() => this.close());
      return;
    }
    queueMicrotask(() => this.onmessage?.(read));
  }
}

async function judged({ protocol, answers }) {
  const modern = protocol >= "2026-07-28";
  const transport = new Scripted(answers);
  const options = modern ? { versionNegotiation: { mode: { pin: protocol } } } : {};
  const client = new Client({ name: "referee", version: "1" }, options);
  client.onerror = () => {};
  const steps = {
    [modern ? "server/discover" : "initialize"]: () => client.connect(transport),
    "tools/list": () => client.listTools(),
    "prompts/list": () => client.listPrompts(),
    "resources/list": () => client.listResources(),
    "resources/templates/list": () => client.listResourceTemplates(),
    "tools/call": () => client.callTool({ name: "find", arguments: {} }),
  };
  for (const [method, step] of Object.entries(steps)) {
    if (answers[method] === undefined) continue;
    try {
      await step();
    } catch (error) {
      return { failed: method, why: String((transport.why ?? error).message).slice(0, 300) };
    }
  }
  return { failed: null, why: "" };
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await judged(JSON.parse(line)))}\n`);
}
process.exit(0);
