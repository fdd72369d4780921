/** What an agent in the sandbox may use besides its worktree, its artifacts and what its kind of agent needs. */
export interface SandboxRules {
  /** Files and folders that it may read although they are in a hidden one, such as the repository's .git. */
  readonly readable: readonly string[];
  /** Folders that it must not see: Devflow's home, the worktrees of others. */
  readonly hidden: readonly string[];
  /** Hosts that it may reach besides its model's provider: `example.com`, `example.com:8443`, `*.example.com`. */
  readonly hosts: readonly string[];
  /** Ports on this machine that it may reach. */
  readonly ports: readonly number[];
}
