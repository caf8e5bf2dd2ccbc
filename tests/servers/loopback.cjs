// Preloaded into node servers that bind all interfaces: those that name no address of their own get 127.0.0.1.
// The hook sits where node has resolved the address, so that listen() stays synchronous for those who rely on it.
const net = require("node:net");
const bind = net.Server.prototype._listen2;
if (typeof bind !== "function") {
  throw new Error("this node has no hook to keep a server on the loopback interface");
}
net.Server.prototype._listen2 = function (address, port, family, ...rest) {
  const everywhere = !address || address === "::" || address === "0.0.0.0";
  return everywhere && port >= 0 && family !== -1
    ? bind.call(this, "127.0.0.1", port, 4, ...rest)
    : bind.call(this, address, port, family, ...rest);
};
