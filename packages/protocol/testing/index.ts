/** For the tests of other packages: `@devflow/protocol/testing`. */
export { rpcs } from "../src/rpc.ts";
