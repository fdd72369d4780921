import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { instancesIn, Template, templateHash } from "../templates/index.ts";
import {
  type FileVerdict,
  loadFailed,
  readDefinitions,
  shippedDefinitions,
  validatePersonaFile,
  validateTemplateFile,
} from "./registry.ts";
import { shippedPersonas, shippedTemplates } from "./shipped-definitions.ts";

const schemas = join(import.meta.dir, "../../../../schemas");
let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "devflow-definitions-"));
  await mkdir(join(home, "templates"));
  await mkdir(join(home, "personas"));
});
afterAll(() => rm(home, { recursive: true }));

const faultsOf = (verdict: FileVerdict<unknown>) =>
  verdict.ok ? [] : verdict.faults.map(({ path, line, reason }) => `${line ?? "-"} ${path} ${reason}`);

async function faultsIn(text: string, name = "t@1.yaml"): Promise<string[]> {
  const path = join(home, name);
  await writeFile(path, text);
  return faultsOf(await validateTemplateFile(path));
}

/** A valid template; lines 1 to 4 are its head, the phase begins at line 6. */
const good = `name: t
version: 1
roles:
  - {id: coder, requiredCapabilities: [code_edit]}
phases:
  - key: work
    kind: work
    title: Work
    risk: low
    roles: [coder]
    expectedArtifact: {path: a.json, schema: dev/change-report@1}
    instructions: Do {{requirements}}
`;

describe("the shipped definitions", () => {
  test("every file is compiled in", async () => {
    expect(Object.keys(shippedTemplates).sort()).toEqual((await readdir(join(schemas, "templates"))).sort());
    expect(Object.keys(shippedPersonas).sort()).toEqual((await readdir(join(schemas, "personas"))).sort());
  });

  // Published versions never change. A failure here means that a file, or what the reader makes of it, was changed:
  // publish a new version instead, and give new members of the schema no default that affects the hash.
  test("have the hashes under which they were published", () => {
    const { templates, personas } = shippedDefinitions();
    const hashes = [...templates, ...personas].map(({ id, hash }) => `${id} ${hash}`);
    expect(hashes).toMatchInlineSnapshot(`
      [
        "bugfix@1 2815000f5ec030375139d7ac79fae2a77cf24cb8c04d9a19ab84cad4dd9ae4c0",
        "bugfix@2 00c662f7a952ee9f94331e3d54fdfc0887c1e51daa8373811c036f5db24e6d8b",
        "development-fake@1 94dade9c6db4dc308abf3843e9d5e26f7abb9a923c490c9fb695e4630e1655fb",
        "development-lane@1 6050a6b59f05a0da9ac38e01012d647f2be5e1a35673f42a7019a395e13b93c8",
        "development-lane-fake@1 6dace88f1aff5eb9679c3ff87e939dc68a3735291e9b67b045477d4a9a1e6282",
        "development-parallel@1 27fdcd2984e961b2afa13de1692fe6e6c03406b6eee6f2b063d9bf098ed7e513",
        "development-parallel-fake@1 b66f3155c445a00372c5ea73e3db42cfcc39bf231828566388d0a9f1cb5a1de7",
        "development@1 38d60a21e28965eeb9a158bba9d9b79b0f515ce1a330f9b575e56ac6b3dcb007",
        "development@2 7afdf31033ff426c810fff07a9a7fe7263ec24b37a2eb76dc884e900c7a3b750",
        "claude-architect@1 145653d4512d17ea6c0e4d960224fa0b0a1316a1e3809397e6e2a34d7752eb07",
        "claude-architect@2 dc849ce28f0f883a0b929e0c79041552382f78e16f16814130f19aa157ab7304",
        "claude-coder@1 3abcc9613247a8f8706632ee5daf10b74ee4cae23d6e95ba8f3a1c2356ffc511",
        "claude-coder@2 36ec6efa444925408284c3ea88974601df96c35d8c56d1f39f47a6f14b940797",
        "claude-reviewer@1 0fcc1970352ccbe20b6a6dd82619adc9755d4061b6d150426d2cd560b2c19f38",
        "claude-reviewer@2 e686421ee7fbf6420e2441f903e47ac489669a881cf731df51b1e49365d896d3",
        "claude-verifier@1 6bf2a34bf822bae274248a3dd3001d6db1c50d4ecaa4ce8821ffe5122fd91cab",
        "claude-verifier@2 6dd9d02db1767c159eac46a1688b777f27e5ea62ed0cb5895bafaeadccff99e8",
        "codex-architect@1 ec48ca8d4a1c2cce187a1e4bbd94bda3ee8bc99028cdada1614c2685ccf49142",
        "codex-architect@2 d97089c721924cf74a29a175f5034295989c180fb0928b7d343b4d0b59f3b631",
        "codex-coder@1 f453a3ba9dc9e411a154cbd819266d3631bbb77abdc4622a68b3125b88d8df84",
        "codex-coder@2 eee1e3f7686c2e91fd376134a0b1ea61b516b0d96c85378bfc0198b461868ee6",
        "codex-reviewer@1 8b54cb6ccffb63abcd7b6308fdba588f64cfa62f10028bf78b2f3549d443fe79",
        "codex-reviewer@2 9b07e300913c3047785ae437bd44df66945bca233fbc66c38ae2100031a18098",
        "codex-verifier@1 8ad9246f766fa866c4dcbc5e144f632e6dadfba213e7c700b0ca12ad4a625f74",
        "codex-verifier@2 68b584aac4f10f4717734df8b7942b69f94013f3f7281ace50d7188a982a5a76",
        "fake-architect@1 25164d4a49e394055e0e4c9749115ed2bef6ee46770e0904a3e7d676e45bb907",
        "fake-coder@1 1417385a8dfa3c05f54877d62f7da21173e6fad497a550e7dc15fe6fb60be786",
        "fake-reviewer-two@1 6ba617436dace4bacbfc951de8085dffe78640702cf738a08e801f4de9b59d5c",
        "fake-reviewer@1 410a52bad2184d84347f9e538f12dbf3bbaf998a73b91bc37513496d46c0eb87",
        "fake-verifier@1 c8848000b98b7ecdc6e34f8070e073a3efcd598195599681f7e853075bd325f2",
      ]
    `);
  });

  test("development@1 has the designed phases", () => {
    const template = shippedDefinitions().templates.find((one) => one.id === "development@1")?.value as Template;
    const phases = template.phases.map((phase) =>
      [
        phase.key,
        phase.kind,
        phase.risk,
        instancesIn(template, phase).join("+") || "-",
        phase.expectedArtifact ? `${phase.expectedArtifact.path}:${phase.expectedArtifact.schema}` : "-",
        phase.gates.join("+") || "-",
        phase.when ?? "-",
        phase.loop ? `${phase.loop.to} x${phase.loop.max} while ${phase.loop.while}` : "-",
      ].join(" | "),
    );
    expect(phases).toEqual([
      "spec | planning | low | architect | spec.json:dev/spec@1 | - | - | -",
      "plan | planning | low | architect | plan.json:dev/phase-plan@1 | plan_approved | - | -",
      "implement | work | medium | coder | change.json:dev/change-report@1 | - | - | -",
      "test | command | low | - | - | - | - | implement x2 while failed",
      "review | review | low | reviewer#0+reviewer#1 | review-{role}.json:dev/review-finding-batch@1 | - | - | -",
      "verify | verify | low | verifier | verification.json:dev/verification@1 | - | findings | -",
      "fix | work | medium | coder | fix.json:dev/fix-report@1 | - | blocking_findings | test x2 while blocking_findings",
      "report | report | low | - | - | ship_approved | - | -",
    ]);
  });

  test("development-fake@1 differs from development@1 only in its roles' backends", () => {
    const { templates } = shippedDefinitions();
    const [fake, real] = ["development-fake@1", "development@1"].map(
      (id) => templates.find((one) => one.id === id)?.value as Template,
    );
    expect(fake?.phases).toEqual(real?.phases as Template["phases"]);
    expect(fake?.roles.every((role) => role.preferredBackends.join() === "fake")).toBe(true);
  });
});

describe("a template's hash", () => {
  const parsed = (more: object = {}) =>
    Template.parse({
      name: "t",
      version: 1,
      roles: [],
      phases: [{ key: "a", kind: "report", title: "A", risk: "low" }],
      ...more,
    });

  test("does not depend on the order of members, nor on writing a default out", () => {
    const written = { exclusive: false, defaultGates: [], roles: [], version: 1, name: "t" };
    expect(templateHash(parsed(written))).toBe(templateHash(parsed()));
  });

  test("changes with everything that affects a run", () => {
    const phase = { key: "a", kind: "report", title: "A", risk: "low" };
    const variants = [
      {},
      { name: "u" },
      { version: 2 },
      { exclusive: true },
      { deciderMayNotBeStarter: true },
      { defaultGates: ["tests_pass"] },
      { phases: [{ ...phase, title: "B" }] },
      { phases: [{ ...phase, gates: ["tests_pass"] }] },
      { phases: [{ ...phase, timeoutMs: 1 }] },
    ];
    expect(new Set(variants.map((more) => templateHash(parsed(more)))).size).toBe(variants.length);
  });
});

describe("devflow template validate", () => {
  test("prints nothing for a valid file", async () => {
    expect(await faultsIn(good)).toEqual([]);
  });

  test("reports the line of broken YAML", async () => {
    expect(await faultsIn("name: t\nversion: 1\nroles: [\n")).toEqual([
      expect.stringMatching(/^[34] {2}Flow sequence in block collection must be/),
    ]);
    expect(await faultsIn("name: t\nname: u\n")).toEqual(["2  Map keys must be unique"]);
    expect((await faultsIn("a: 1\n---\nb: 2\n"))[0]).toContain("multiple documents");
    expect(await faultsIn("")).toEqual([expect.stringContaining("expected object")]);
  });

  test("does not expand aliases without limit", async () => {
    const bomb = ["a: &a [x, x, x, x, x, x, x, x, x]"];
    for (let n = 0; n < 8; n++)
      bomb.push(
        `b${n}: &b${n} [${Array(9)
          .fill(n === 0 ? "*a" : `*b${n - 1}`)
          .join(", ")}]`,
      );
    expect(await faultsIn(bomb.join("\n"))).toEqual([expect.stringContaining("Excessive alias count")]);
  });

  test("reports path, line and reason of all schema errors at once", async () => {
    const text = good
      .replace("version: 1", "version: 0")
      .replace("risk: low", "risk: huge")
      .replace("title: Work", "titel: Work")
      .replace("[code_edit]", "[code_edti]");
    const faults = await faultsIn(text);
    expect(faults).toHaveLength(5);
    expect(faults).toContainEqual(expect.stringMatching(/^2 version Too small/));
    expect(faults).toContainEqual(expect.stringMatching(/^4 roles\[0\]\.requiredCapabilities\[0\] Invalid option/));
    expect(faults).toContainEqual('9 phases[0].risk Invalid option: expected one of "low"|"medium"|"high"');
    expect(faults).toContainEqual(expect.stringMatching(/^6 phases\[0\]\.title Invalid input/));
    expect(faults).toContainEqual('8 phases[0] Unrecognized key: "titel"');
  });

  test("the file name must match its content", async () => {
    expect(await faultsIn(good, "other@1.yaml")).toEqual(["1 name the file must be called t@1.yaml, not other@1.yaml"]);
    expect(await faultsIn(good, "t@2.yaml")).toEqual(["1 name the file must be called t@1.yaml, not t@2.yaml"]);
  });

  const broken: readonly (readonly [from: string, to: string, fault: string])[] = [
    ["roles: [coder]", "roles: [codr]", '10 phases[0].roles[0] no role "codr" in this template'],
    ["roles: [coder]", 'roles: ["coder#1"]', '10 phases[0].roles[0] role "coder" has only 1 instance(s)'],
    ["a.json", "/a.json", "11 phases[0].expectedArtifact.path a relative path without .."],
    ["a.json", "x/../a.json", "11 phases[0].expectedArtifact.path a relative path without .."],
    [
      "a.json",
      '"{rol}.json"',
      "11 phases[0].expectedArtifact.path {rol} is not a placeholder for paths; use {role}, {lane}, {attempt}",
    ],
    ["a.json", '"{role.json"', "11 phases[0].expectedArtifact.path unclosed brace"],
    [
      "dev/change-report@1",
      "dev/change-reprot@1",
      "11 phases[0].expectedArtifact.schema there is no schema dev/change-reprot@1; did you mean dev/change-report@1?",
    ],
    [
      "{{requirements}}",
      "{{requirement}}",
      "12 phases[0].instructions {{requirement}} is not a placeholder; use one of {{requirements}}, {{artifact:<phase>}}, {{findings}}, {{comment}}, {{log:<phase>}}",
    ],
    ["{{requirements}}", "{{findings}}", "12 phases[0].instructions {{findings}} needs a review phase before it"],
    ["{{requirements}}", "{{artifact:spec}}", '12 phases[0].instructions {{artifact:spec}}: there is no phase "spec"'],
    ["{{requirements}}", "{{artifact:work}}", '12 phases[0].instructions {{artifact:work}}: phase "work" comes later'],
    ["Do {{requirements}}", '""', "12 phases[0].instructions a phase with roles needs instructions"],
    [
      "risk: low",
      "risk: low\n    gates: [plan_aproved]",
      '10 phases[0].gates[0] there is no gate "plan_aproved"; did you mean plan_approved?',
    ],
    [
      "risk: low",
      'risk: low\n    gates: ["auto:ship_approved"]',
      "10 phases[0].gates[0] only a person can answer ship_approved; auto: is for tests_pass, consensus, objective",
    ],
    [
      "phases:",
      "defaultGates: [constructor]\nphases:",
      '5 defaultGates[0] there is no gate "constructor"; use one of plan_approved, ship_approved, parallel_dag_approved, tests_pass, consensus, objective',
    ],
    [
      "- {id: coder,",
      "- {id: idle, requiredCapabilities: []}\n  - {id: coder,",
      '4 roles[0].id no phase uses role "idle"',
    ],
    ["risk: low", "risk: low\n    inputs: [later]", '10 phases[0].inputs[0] no phase "later"'],
    [
      "risk: low",
      "risk: low\n    loop: {to: work, max: 1, while: failed}",
      "10 phases[0].loop.while only a command phase can fail and continue",
    ],
    ["risk: low", "risk: low\n    command: {from: test}", "10 phases[0].command only a command phase has a command"],
  ];
  test.each(broken.map(([from, to, fault]) => [fault, from, to] as const))("%s", async (fault, from, to) => {
    expect(await faultsIn(good.replace(from, to))).toEqual([fault]);
  });

  test("automatic gates are allowed where the engine can decide", async () => {
    const gates = ["auto:tests_pass", "auto:consensus", "auto:objective", "tests_pass", "parallel_dag_approved"];
    expect(await faultsIn(good.replace("risk: low", `risk: low\n    gates: ${JSON.stringify(gates)}`))).toEqual([]);
  });

  test("a log of a later phase may be used when that phase loops back", async () => {
    const reading = good.replace("{{requirements}}", "{{log:test}}");
    const test = "  - {key: test, kind: command, title: T, risk: low, command: {from: test}LOOP}\n";
    const back = test.replace("LOOP", ", loop: {to: work, max: 1, while: failed}");
    expect(await faultsIn(reading + back)).toEqual([]);
    expect(await faultsIn(reading + test.replace("LOOP", ""))).toEqual([
      '12 phases[0].instructions {{log:test}}: phase "test" comes later',
    ]);
    expect(await faultsIn(good.replace("{{requirements}}", "{{artifact:test}}") + back)).toEqual([
      "12 phases[0].instructions {{artifact:test}}: that phase writes no artifact",
    ]);
  });

  test("two phases may not write the same file", async () => {
    const again = good.slice(good.indexOf("  - key")).replace("key: work", "key: more");
    expect(await faultsIn(good + again)).toEqual([
      '18 phases[1].expectedArtifact.path phase "work" writes the same file',
    ]);
  });

  test("a file that is not readable text is reported", async () => {
    const path = join(home, "x@1.yaml");
    await writeFile(path, Buffer.from([0x6e, 0xff, 0xfe]));
    expect(faultsOf(await validateTemplateFile(path))).toEqual(["-  it is not valid UTF-8"]);
    expect(faultsOf(await validateTemplateFile(home))).toEqual(["-  it is not a file"]);
    expect(faultsOf(await validateTemplateFile(join(home, "none@1.yaml")))).toEqual([
      expect.stringContaining("it cannot be read"),
    ]);
    await writeFile(path, "#".repeat(1024 * 1024 + 1));
    expect(faultsOf(await validateTemplateFile(path))).toEqual(["-  it has 1048577 bytes; the limit is 1048576"]);
  });

  test("a persona that cannot be hashed is refused", async () => {
    const path = join(home, "p@1.yaml");
    const text =
      "name: p\nversion: 1\nbackend: fake\ncapabilities: []\nmaxRiskLevel: low\nmodelConfig: {temperature: .nan}\n";
    await writeFile(path, text);
    expect(faultsOf(await validatePersonaFile(path))).toEqual([
      "6 modelConfig no canonical JSON for $.modelConfig.temperature: NaN is not a JSON number",
    ]);
  });
});

describe("loading", () => {
  const put = (name: string, text: string) => writeFile(join(home, name), text);

  test("adds the definitions of the home folder to the shipped ones; a copy of a shipped one is not a conflict", async () => {
    await put("templates/t@1.yaml", good);
    await put("templates/bugfix@1.yaml", shippedTemplates["bugfix@1.yaml"] as string);
    await put("templates/README.md", "not a template");
    await put("templates/.t@2.yaml.swp", "nor this");
    const { templates, personas } = await readDefinitions({ home });
    expect(templates.map(({ id, source }) => `${id} ${source}`)).toEqual([
      "bugfix@1 shipped",
      "bugfix@2 shipped",
      "development-fake@1 shipped",
      "development-lane-fake@1 shipped",
      "development-lane@1 shipped",
      "development-parallel-fake@1 shipped",
      "development-parallel@1 shipped",
      "development@1 shipped",
      "development@2 shipped",
      `t@1 ${join(home, "templates/t@1.yaml")}`,
    ]);
    expect(personas).toHaveLength(21);
    expect((await readDefinitions({ home: join(home, "no-such-home") })).templates).toHaveLength(9);
  });

  test("keeps the valid ones and reports every error of the others", async () => {
    await put("templates/t@1.yaml", good.replace("risk: low", "risk: huge"));
    await put("templates/u@1.yml", good.replace("name: t", "name: u"));
    await put("templates/bugfix@1.yaml", `${shippedTemplates["bugfix@1.yaml"]}exclusive: true\n`);
    await put("personas/p@1.yaml", "name: p\n");
    const { templates, personas, refused } = await readDefinitions({ home });
    expect([templates.length, personas.length, refused.length]).toEqual([9, 21, 4]);
    const { code, message } = loadFailed(refused);
    expect(code).toBe("template_load_failed");
    expect(message).toContain(`${home}/templates/t@1.yaml:9: phases[0].risk: Invalid option`);
    expect(message).toContain(`${home}/templates/u@1.yml:1: name: the file must be called u@1.yaml, not u@1.yml`);
    expect(message).toContain(`${home}/templates/bugfix@1.yaml: version: bugfix@1 is already defined (shipped)`);
    expect(message).toContain(`${home}/personas/p@1.yaml:1: version: Invalid input`);
  });
});
