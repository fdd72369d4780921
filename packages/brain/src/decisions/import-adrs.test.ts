import { describe, expect, test } from "bun:test";
import { importAdrs, isAdrName } from "./import-adrs.ts";
import { readAdr } from "./read-adr.ts";

const about = { team: "t", repo: "r", knownFiles: new Set(["src/db.ts"]) };
const read = (path: string, text: string) => {
  const found = readAdr(path, text);
  if (!("adr" in found)) throw new Error(found.problem);
  return found.adr;
};

describe("one ADR", () => {
  test("in Nygard's form", () => {
    const text =
      "# 7. Use Postgres\n\nDate: 2021-04-09\n\n## Status\n\nAccepted\n\n## Context\n\nWe need a store.\n\n## Decision\n\nPostgres, see `src/db.ts`.\n\n## Consequences\n\nOne more process.\n";
    expect(read("doc/adr/0007-use-postgres.md", text)).toEqual({
      ...{
        path: "doc/adr/0007-use-postgres.md",
        number: 7,
        title: "Use Postgres",
        state: "accepted",
        date: "2021-04-09",
      },
      ...{ tags: [], context: "We need a store.", alternatives: "", supersedes: [], supersededBy: [] },
      body: "## Decision\n\nPostgres, see `src/db.ts`.\n\n## Consequences\n\nOne more process.",
    });
  });

  test("in MADR's form, with front matter and with bullets", () => {
    const matter =
      "---\nstatus: proposed\ndate: 2024-01-31\ndecision-makers: [a]\n---\n# Use Markdown\n\n## Context and Problem Statement\n\nHow?\n\n## Considered Options\n\n* MADR\n* Nothing\n\n## Decision Outcome\n\nMADR.\n";
    expect(read("docs/decisions/0001-use-markdown.md", matter)).toMatchObject({
      ...{ state: "proposed", date: "2024-01-31", context: "How?", alternatives: "* MADR\n* Nothing" },
      body: "## Decision Outcome\n\nMADR.",
    });
    const bullets =
      "# Use X\n\n* Status: superseded by [ADR-0005](0005-use-y.md)\n* Date: 2020-02-02\n\nTechnical Story: none\n";
    expect(read("0002-use-x.md", bullets)).toMatchObject({
      state: "superseded",
      supersededBy: ["0005-use-y.md"],
      body: "Technical Story: none",
    });
  });

  test("in log4brains' form: the day in the name, tags", () => {
    const text =
      "# Use Lunr for search\n\n- Status: draft\n- Tags: front end, Search\n\n## Decision Outcome\n\nLunr.\n";
    expect(read("docs/adr/20201016-use-lunr.md", text)).toMatchObject({
      ...{ number: null, state: "proposed", date: "2020-10-16", tags: ["front-end", "search"] },
    });
  });

  test.each([
    [
      "German",
      "# Wir nutzen Kafka\n\n## Status\n\nAngenommen\n\n## Kontext\n\nViele Ereignisse.\n",
      "accepted",
      "Viele Ereignisse.",
    ],
    ["French", "# Utiliser Kafka\n\n## Statut\n\nAccepté\n\n## Contexte\n\nBeaucoup.\n", "accepted", "Beaucoup."],
    ["Spanish", "# Usar Kafka\n\n## Estado\n\nRechazado\n\n## Contexto\n\nMuchos.\n", "rejected", "Muchos."],
    [
      "Portuguese",
      "# Usar Kafka\n\n## Estado\n\nSubstituída por 0003\n\n## Contexto\n\nMuitos.\n",
      "superseded",
      "Muitos.",
    ],
    ["Chinese", "# 使用 Kafka\n\n## 状态\n\n已接受\n\n## 背景\n\n很多事件。\n", "accepted", "很多事件。"],
    ["Japanese", "# Kafka を使う\n\n## ステータス\n\n提案\n\n## コンテキスト\n\n多い。\n", "proposed", "多い。"],
  ])("in %s", (_language, text, state, context) => {
    expect(read("0001-x.md", text)).toMatchObject({ state, context } as object);
  });

  test.each([
    [
      "an underlined title and Windows line ends",
      "Use X\r\n=====\r\n\r\n## Status\r\n\r\nDeprecated\r\n",
      { title: "Use X", state: "expired" },
    ],
    ["a heading inside code is no part", "# X\n\n## Decision\n\n```\n## Status\nRejected\n```\n", { state: undefined }],
    ["broken front matter stays text", "---\n: [\n---\n# X\n", { title: "X" }],
    ["a byte order mark", "\uFEFF# X\n", { title: "X" }],
  ])("%s", (_name, text, fields) => {
    expect(read("a.md", text)).toMatchObject(fields as object);
  });

  test("what is none", () => {
    expect(readAdr("a.md", "just text")).toEqual({ problem: "it has no title" });
    expect(readAdr("a.md", "# x\0")).toEqual({ problem: "it is not a text file" });
    expect(readAdr("a.md", `# x\n${"y".repeat(100_001)}`)).toEqual({ problem: "it is longer than 100,000 characters" });
    expect(["README.md", "template.md", "0001-x.md", "index.md", "a.txt"].map(isAdrName)).toEqual([
      false,
      false,
      true,
      false,
      false,
    ]);
  });
});

test("a folder: the same ids each time, relations in both directions, collisions and dead links told", () => {
  const files = [
    { path: "adr/0001-a.md", text: "# 1. A\n\n## Status\n\nSuperseded by [2. B](0002-b.md)\n" },
    {
      path: "adr/0002-b.md",
      text: "# 2. B\n\n## Status\n\nAccepted\n\nSupersedes [1. A](0001-a.md)\n\n## Decision\n\nSee `src/db.ts` and `src/none.ts`.\n",
    },
    { path: "adr/0002-c.md", text: "# 2. C\n\n## Status\n\nSuperseded by ADR-0099\n" },
    { path: "adr/bad.md", problem: "it is not UTF-8 text" },
  ];
  const { decisions, unread, doubts } = importAdrs(files, about);
  const [a, b, c] = decisions;
  expect([a?.state, b?.state, b?.supersedes === a?.decision_id, b?.files, c?.state]).toEqual([
    "superseded",
    "accepted",
    true,
    ["src/db.ts"],
    "superseded",
  ]);
  expect(unread).toEqual([{ path: "adr/bad.md", problem: "it is not UTF-8 text" }]);
  expect(doubts.map(({ doubt }) => doubt)).toEqual([
    "it shares the number 2 with 0002-c.md",
    "it shares the number 2 with 0002-b.md",
    "it refers to 0099, which is not among the imported files",
  ]);
  expect(importAdrs(files, about).decisions).toEqual(decisions);
});
