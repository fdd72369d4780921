/** Git, loaded where there is a repository. */
export { repositoryRoot } from "@devflow/git";
