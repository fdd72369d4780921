/** The fake's default answers: small, schema-valid, and always the same. */

interface Asked {
  readonly expectedSchema: string;
  readonly phaseKey: string;
  readonly roleId: string;
  readonly attempt: number;
  /** Files that the prompt lets it write, if it names any. */
  readonly writeSet?: readonly string[];
  /** Findings that the prompt lists for a verifier or fixer. */
  readonly findings: readonly { readonly id: string; readonly summary: string }[];
}

export function fakeAnswer(asked: Asked): unknown {
  const answer = answers[asked.expectedSchema];
  return answer ? answer(asked) : { note: `no built-in answer for ${asked.expectedSchema}` };
}

const answers: Readonly<Record<string, (asked: Asked) => unknown>> = {
  "dev/spec@1": () => ({
    title: "Greet in several languages",
    summary: "The greeting takes a language and falls back to English.",
    requirements: [
      { id: "R1", text: "greet(name, language) answers in that language", priority: "must" },
      { id: "R2", text: "An unknown language falls back to English", priority: "must" },
    ],
    acceptanceCriteria: [
      { id: "A1", requirement: "R1", text: 'greet("Ada", "de") is "Hallo, Ada!"' },
      { id: "A2", requirement: "R2", text: 'greet("Ada", "xx") is "Hello, Ada!"' },
    ],
    outOfScope: ["Right-to-left rendering"],
    openQuestions: [],
  }),
  "dev/phase-plan@1": ({ attempt }) => ({
    summary: attempt > 1 ? "Tests first, then the table, then the fallback." : "The table, then the fallback.",
    steps: [
      { id: "S1", title: "Tests for two languages and the fallback", files: ["greet.test.ts"], verifies: ["A1", "A2"] },
      { id: "S2", title: "A table of greetings and the lookup", files: ["greet.ts"], verifies: ["A1", "A2"] },
    ],
    risks: [{ text: "Callers that pass one argument", mitigation: "English stays the default" }],
  }),
  "dev/dag@1": () => ({
    tasks: [
      { id: "T1", title: "Tests", dependsOn: [], writeSet: ["greet.test.ts"] },
      { id: "T2", title: "Lookup", dependsOn: ["T1"], writeSet: ["greet.ts"] },
    ],
  }),
  "dev/dag@2": () => ({
    summary: "Each language is a file of its own; the list needs both.",
    tasks: [
      { id: "german", title: "Greet in German", dependsOn: [], writeSet: ["greetings/de.json"] },
      { id: "french", title: "Greet in French", dependsOn: [], writeSet: ["greetings/fr.json"] },
      {
        id: "list",
        title: "List the languages",
        instructions: "One line for each language.",
        dependsOn: ["german", "french"],
        writeSet: ["languages.md"],
        tests: ["Every greeting is in the list."],
      },
    ],
  }),
  "dev/change-report@1": ({ attempt, writeSet = [] }) => ({
    summary: "The greeting takes a language.",
    noChange: false,
    files: (writeSet.length > 0 ? writeSet.map(writtenFor) : ["greetings.json"]).map((path) => ({
      path,
      change: attempt > 1 ? "modified" : "added",
    })),
    testsAdded: [],
    notes: [],
  }),
  "dev/fix-report@1": ({ findings }) => ({
    summary: "The confirmed findings are fixed.",
    noChange: false,
    fixed: findings.map(({ id }) => ({ finding: id, how: "Fixed where it was found." })),
    notFixed: [],
  }),
  "dev/review-finding-batch@1": ({ roleId }) => ({
    reviewer: roleId,
    summary: "Read completely; nothing blocks.",
    findings: [
      {
        severity: "low",
        category: "style",
        file: "greetings.json",
        line: 1,
        summary: "The languages are not sorted",
        evidence: "fr comes before de",
      },
    ],
  }),
  "dev/verification@1": ({ findings }) => ({
    summary: `${findings.length} finding(s) checked.`,
    verdicts: findings.map(({ id }) => ({ finding: id, status: "confirmed", reason: "Seen in the file." })),
  }),
  "qa/report@1": () => ({
    summary: "Looked at.",
    health: 100,
    checks: [{ name: "opens", status: "pass", evidence: "" }],
  }),
  "bt/objective@1": () => ({ targets: [{ metric: "sharpe", op: "gte", value: 1.5, weight: 1 }], stopWhen: "all" }),
  "bt/iteration-result@1": () => ({ iteration: 1, metrics: [{ name: "sharpe", value: 1.6 }], notes: "" }),
};

/** What the coder of the demo writes into the worktree. */
export function fakeFiles(asked: Asked): Readonly<Record<string, string>> {
  if (asked.expectedSchema !== "dev/change-report@1" && asked.expectedSchema !== "dev/fix-report@1") return {};
  const { writeSet = [], attempt } = asked;
  if (writeSet.length > 0)
    return Object.fromEntries(writeSet.map((pattern) => [writtenFor(pattern), `attempt ${attempt}\n`]));
  const greetings = { en: "Hello", fr: "Bonjour", de: "Hallo", ...(asked.attempt > 1 ? { es: "Hola" } : {}) };
  const sorted =
    asked.expectedSchema === "dev/fix-report@1" ? Object.fromEntries(Object.entries(greetings).sort()) : greetings;
  return { "greetings.json": `${JSON.stringify({ ...sorted, attempt: asked.attempt }, null, 2)}\n` };
}

/** A file that a pattern of a write set allows. */
const writtenFor = (pattern: string): string =>
  pattern
    .replaceAll(/\{([^{},]*)[^{}]*\}/g, "$1")
    .replaceAll("**", "written")
    .replaceAll(/[*?]/g, "w");
