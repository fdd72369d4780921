/**
 * What a git process may see: a short list of the user's variables, nothing called GIT_*, and settings of ours that
 * keep it from asking, paging, editing, or reaching for a protocol that runs programs.
 *
 * - `gitEnvironment(env, protocols)` the whole environment of one call.
 */
import { delimiter, isAbsolute } from "node:path";

const gitProtocols = ["https", "http", "ssh", "file"] as const;
export type GitProtocol = (typeof gitProtocols)[number];

/** Where the user's settings, agents and proxies are; everything else stays outside. */
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
    // Nobody sits there to answer.
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    SSH_ASKPASS: "",
    GCM_INTERACTIVE: "never",
    // ":" is git's own word for no editor; it starts no process.
    GIT_EDITOR: ":",
    GIT_SEQUENCE_EDITOR: ":",
    GIT_PAGER: "",
    // Wins over core.sshCommand of the repository.
    GIT_SSH_COMMAND: "ssh -oBatchMode=yes",
    // Wins over every protocol.*.allow; ext:: and foreign remote helpers start programs.
    GIT_ALLOW_PROTOCOL: protocols.join(":"),
    // A path is a path, also when it starts with ":(".
    GIT_LITERAL_PATHSPECS: "1",
    // Reading must not fight with an agent for the index lock.
    GIT_OPTIONAL_LOCKS: "0",
  };
}

/** A "." in PATH would find a program called git in the repository that is being looked at. */
function absoluteEntries(path: string | undefined): string {
  const entries = (path ?? "").split(delimiter).filter((entry) => isAbsolute(entry));
  return entries.length > 0 ? entries.join(delimiter) : "/usr/local/bin:/usr/bin:/bin";
}
