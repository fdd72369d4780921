/** What the model of Codex answers in tests of its own. */
const anEnvelope = "/Expected artifact: (?<artifact>\\S+)/";

export const shell = (cmd: string, more = {}) => ({ tools: [{ name: "exec_command", arguments: { cmd, ...more } }] });

/** Asks to run outside the sandbox. */
export const escalated = { sandbox_permissions: "require_escalated" };

const artifact = shell("echo '{\"ok\":true}' > $<artifact>");

/** Writes the artifact at once, or after other tools; then the turn ends. */
export const writesAtOnce = { match: { toolResult: false, userText: anEnvelope }, answer: artifact };
export const writes = { match: { toolResult: true, userText: anEnvelope }, answer: artifact };
export const ends = { match: { toolResult: true }, answer: { text: "Done." } };
