/**
 * What an agent is probably about to do, without asking a model: from its prompt, its branch and the files that it changed.
 *
 * - `inferIntent(clues)` a text, the files, and how sure it is; undefined when there is nothing to go by. Pure.
 *
 * A prompt that asks for something says most; a branch named after a piece of work says some; changed files alone say little.
 */
export interface IntentClues {
  readonly prompt?: string;
  readonly branch?: string | null;
  readonly defaultBranch?: string;
  /** Changed in the worktree, relative to the root. */
  readonly files: readonly string[];
}

export interface InferredIntent {
  readonly text: string;
  readonly files: readonly string[];
  readonly confidence: number;
  /** What it was inferred from, for people. */
  readonly from: readonly string[];
}

const longest = 200;

export function inferIntent({
  prompt = "",
  branch,
  defaultBranch = "main",
  files,
}: IntentClues): InferredIntent | undefined {
  const asked = requestOf(prompt);
  const named =
    branch && ![defaultBranch, "main", "master", "develop", "HEAD"].includes(branch) ? wordsOfBranch(branch) : "";
  const touched = placesOf(files);
  const from: string[] = [];
  let confidence = 0;
  if (asked.text !== "") {
    from.push("prompt");
    confidence = asked.isRequest ? 0.7 : 0.4;
  }
  if (named !== "") {
    from.push("branch");
    confidence = Math.min(0.9, confidence === 0 ? 0.5 : confidence + (shares(asked.text, named) ? 0.15 : 0.05));
  }
  if (files.length > 0) {
    from.push("files");
    confidence = Math.min(0.9, confidence === 0 ? 0.2 : confidence + 0.05);
  }
  if (confidence === 0) return undefined;
  const text = asked.text || named || `Changes in ${touched}`;
  return {
    text: text.slice(0, longest),
    files: files.slice(0, 50),
    confidence: Math.round(confidence * 100) / 100,
    from,
  };
}

/** The first sentence that asks for something; otherwise the first. Code, logs and quotes are no requests. */
function requestOf(prompt: string): { readonly text: string; readonly isRequest: boolean } {
  const prose = prompt
    .replace(/```[\s\S]*?(?:```|$)/g, " ")
    .replace(/<[^>]{1,200}>[\s\S]*?<\/[^>]{1,200}>/g, " ")
    .split("\n")
    .filter((line) => !/^\s*(?:>|at\s|\$|\d+\s*\||\||[-=]{3,})/.test(line))
    .join("\n");
  const sentences = prose
    .split(/(?<=[.!?。!?])\s+|\n+/)
    .map((sentence) =>
      sentence
        .replace(/\s+/g, " ")
        .replace(/^[-*#\s]+/, "")
        .trim(),
    )
    .filter((sentence) => /\p{L}{2}/u.test(sentence) && !pleasantry.test(sentence));
  const request = sentences.find((sentence) => asking.test(sentence));
  const chosen = request ?? sentences[0] ?? "";
  const text = chosen.replace(
    /^(?:please|can you|could you|would you|let's|i want you to|i need you to|now)[,\s]+/i,
    "",
  );
  return { text: text.charAt(0).toUpperCase() + text.slice(1), isRequest: request !== undefined };
}

const pleasantry =
  /^(?:hi|hello|hey|thanks|thank you|ok|okay|yes|no|sure|great|good|continue|go on|go ahead)\b[^a-z]*$/i;
const asking =
  /^(?:(?:please|can you|could you|would you|let's|now|i want you to|i need you to|then)[,\s]+)*(?:add|allow|build|bump|change|clean|convert|create|debug|delete|document|drop|enable|explain|extract|finish|fix|handle|harden|implement|improve|introduce|investigate|limit|make|merge|migrate|move|optimi[sz]e|port|prevent|refactor|release|remove|rename|replace|restore|return|review|rewrite|set up|show|simplify|speed up|split|support|switch|test|translate|turn|update|upgrade|use|validate|wire|write)\b/i;

/** `ada/fix-login_loop-1234` is "Fix login loop". */
function wordsOfBranch(branch: string): string {
  const last = branch
    .replace(/^(?:[\w.-]+\/)+(?=[\w.-]{4,}$)/, "")
    .replace(/^(?:feature|fix|bug|chore|task)[-/]/i, (kind) => (/^(?:fix|bug)/i.test(kind) ? "fix-" : ""));
  const words = last
    .split(/[-_/.]+/)
    .filter((word) => !/^(?:[a-z]{2,6}\d+|\d+|[0-9a-f]{7,40}|wip|tmp)$/i.test(word))
    .join(" ")
    .trim();
  return words.length < 4 ? "" : words.charAt(0).toUpperCase() + words.slice(1);
}

function placesOf(files: readonly string[]): string {
  const folders = [...new Set(files.map((file) => (file.includes("/") ? file.slice(0, file.lastIndexOf("/")) : file)))];
  return `${folders.slice(0, 3).join(", ")}${folders.length > 3 ? ` and ${folders.length - 3} more` : ""}`;
}

function shares(a: string, b: string): boolean {
  const words = (text: string) => new Set(text.toLowerCase().match(/\p{L}{4,}/gu) ?? []);
  const own = words(a);
  return [...words(b)].some((word) => own.has(word));
}
