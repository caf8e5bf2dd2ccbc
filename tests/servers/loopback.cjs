// Preloaded into node servers that bind all interfaces: whatever they ask for, they get 127.0.0.1.
const net = require("node:net");
const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (...args) {
  if (typeof args[0] === "object" && args[0] !== null && "port" in args[0]) {
    args[0] = { ...args[0], host: "127.0.0.1" };
  } else if (typeof args[0] === "number" || /^\d+$/.test(String(args[0]))) {
    const rest = args.slice(1).filter((value) => typeof value !== "string");
    args = [args[0], "127.0.0.1", ...rest];
  }
  return listen.apply(this, args);
};
