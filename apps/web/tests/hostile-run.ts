/** A run in which every text that somebody else writes is hostile: title, requirements, artifacts, findings, transcripts, comments. */
import type { TestServer } from "./test-server.ts";
import { hostileTexts } from "./xss-corpus.ts";

export async function startHostileRun(server: TestServer): Promise<string> {
  const all = hostileTexts.join("\n\n");
  const script = {
    spec: {
      artifact: {
        title: hostileTexts[0],
        summary: all,
        requirements: hostileTexts.map((text, index) => ({ id: `R${index}`, text, priority: "must" })),
        acceptanceCriteria: hostileTexts.map((text, index) => ({ id: `A${index}`, requirement: `R${index}`, text })),
        outOfScope: hostileTexts,
        openQuestions: [],
      },
    },
    plan: {
      artifact: {
        summary: all,
        steps: hostileTexts.map((title, index) => ({ id: `S${index}`, title, files: ["a.ts"], verifies: ["A1"] })),
        risks: hostileTexts.map((text) => ({ text, mitigation: text })),
      },
    },
    implement: {
      artifact: {
        summary: all,
        noChange: false,
        files: [{ path: "hostile.html", change: "added", why: all }],
        testsAdded: hostileTexts,
        notes: hostileTexts,
      },
      files: { "hostile.html": `${all}\n` },
    },
    review: {
      artifact: {
        reviewer: hostileTexts[1],
        summary: all,
        findings: hostileTexts.map((summary, index) => ({
          severity: "low",
          category: "security",
          file: `hostile-${index}.html`,
          line: index + 1,
          summary,
          evidence: all,
        })),
      },
    },
  };
  const { runId } = await server.startRun({
    title: hostileTexts[1]!,
    requirements: `# ${hostileTexts[0]}\n\n${all}\n\n| a |\n|---|\n| ${hostileTexts[2]} |\n`,
    extra: { fake: { script } },
  });
  const planned = await server.untilRun(runId, (run) => run.pendingApprovals > 0 || run.endedAt !== null);
  await server.decide(planned.approvals[0]!.id, "approve", all);
  const run = await server.untilRun(runId, (each) => each.findings.length > 0 && each.pendingApprovals > 0);
  await server.database.asEngine(
    (tx) => tx`
      insert into app.transcript_chunks (session_id, seq, team_id, content)
      values (${run.sessions[0]!.id}, 900000, ${server.teamId}, ${all})`,
  );
  return runId;
}
