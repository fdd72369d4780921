/** Entry point of remote. */
export { type Connection, callRpc, type RpcOutcome } from "./call-rpc.ts";
