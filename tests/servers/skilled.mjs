// A server on the official TypeScript SDK that publishes the skills of a folder: node skilled.mjs MODULES FOLDER
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

const sdk = name => import(pathToFileURL(join(process.argv[2], '@modelcontextprotocol/server/dist', name)));
const { McpServer } = await sdk('index.mjs');
const { StdioServerTransport } = await sdk('stdio.mjs');
const { loadSkills } = await sdk('ext/skills/node.mjs');

const server = new McpServer({ name: 'skilled', version: '1.0.0' });
server.registerTool('add', { description: 'Add two numbers and return the sum.' }, async () => ({ content: [] }));
(await loadSkills(process.argv[3])).attach(server);
await server.connect(new StdioServerTransport());
