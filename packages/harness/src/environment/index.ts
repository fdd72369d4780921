export {
  type AddedVariables,
  agentEnvironment,
  childEnvironment,
  environmentSecrets,
} from "./child-environment.ts";
export { repositoryFault } from "./passed-variables.ts";
