/** Entry point of remote. */
export { type Connection, callRpc, type RpcOutcome } from "./call-rpc.ts";
export { refusalText } from "./refusal-text.ts";
