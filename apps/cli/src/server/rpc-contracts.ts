/** The contracts of the data plane's functions, loaded when one is called. */
export { rpcAnswer } from "@devflow/protocol";
