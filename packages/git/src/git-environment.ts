/**
 * The environment of a git process: a short list of the user's variables, no GIT_* variables, and our settings that keep it
 * from prompting, paging, editing, or using a protocol that runs programs.
 *
 * - `gitEnvironment(env, protocols)` the whole environment of one call.
 */
import { delimiter, isAbsolute } from "node:path";

const gitProtocols = ["https", "http", "ssh", "file"] as const;
export type GitProtocol = (typeof gitProtocols)[number];

/** Where the user's settings, agents and proxies are; no other variable is passed on. */
const passedOn = [
  "HOME",
  "XDG_CONFIG_HOME",
  "USER",
  "LOGNAME",
  "TMPDIR",
  "SSH_AUTH_SOCK",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "http_proxy",
  "https_proxy",
  "HTTPS_PROXY",
  "all_proxy",
  "ALL_PROXY",
  "no_proxy",
  "NO_PROXY",
];

export function gitEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  protocols: readonly GitProtocol[],
): Record<string, string> {
  const inherited = passedOn.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return {
    ...Object.fromEntries(inherited),
    PATH: absoluteEntries(env.PATH),
    LC_ALL: "C",
    // Nobody is there to answer.
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    SSH_ASKPASS: "",
    GCM_INTERACTIVE: "never",
    // ":" is git's name for no editor; it starts no process.
    GIT_EDITOR: ":",
    GIT_SEQUENCE_EDITOR: ":",
    GIT_PAGER: "",
    // Overrides the repository's core.sshCommand.
    GIT_SSH_COMMAND: "ssh -oBatchMode=yes",
    // Overrides every protocol.*.allow; ext:: and foreign remote helpers start programs.
    GIT_ALLOW_PROTOCOL: protocols.join(":"),
    // A path is a path, even when it starts with ":(".
    GIT_LITERAL_PATHSPECS: "1",
    // Whole buffers instead of a write per commit: nobody watches it come.
    GIT_FLUSH: "0",
    // Reading must not compete with an agent for the index lock.
    GIT_OPTIONAL_LOCKS: "0",
  };
}

/** A "." in PATH would find a program called git in the repository. */
function absoluteEntries(path: string | undefined): string {
  const entries = (path ?? "").split(delimiter).filter((entry) => isAbsolute(entry));
  return entries.length > 0 ? entries.join(delimiter) : "/usr/local/bin:/usr/bin:/bin";
}
