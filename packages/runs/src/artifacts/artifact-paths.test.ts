import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { artifactFolder, artifactPath } from "./artifact-paths.ts";

const runId = "0f8fad5b-d9cb-469f-a165-70867728950e";
const folder = artifactFolder(`/w/${runId}`);
const place = { folder, path: "plan.json", role: "architect", lane: "main", attempt: 1, instances: 1 };

describe("the path of an artifact", () => {
  test("is in the run's folder", () => {
    expect(folder).toBe(`/w/${runId}/artifacts`);
    expect(artifactPath(place)).toBe(`${folder}/plan.json`);
  });

  test("placeholders are filled with names that are safe in a path", () => {
    const path = "deep/{lane}/review-{role}-{attempt}.json";
    expect(artifactPath({ ...place, path, role: "reviewer#1", attempt: 2, instances: 2 })).toBe(
      `${folder}/deep/main/review-reviewer-1-2.json`,
    );
  });

  test("several instances never share a file", () => {
    const two = { ...place, instances: 2 };
    expect(artifactPath({ ...two, role: "reviewer#0" })).toBe(`${folder}/plan-reviewer-0.json`);
    expect(artifactPath({ ...two, role: "reviewer#1" })).toBe(`${folder}/plan-reviewer-1.json`);
    expect(artifactPath({ ...two, path: "a.b/plan", role: "reviewer#0" })).toBe(`${folder}/a.b/plan-reviewer-0`);
  });

  test("for any role and lane names, the file is inside the folder and different names give different files", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (role, lane, other) => {
        const path = artifactPath({ ...place, path: "x/{role}/{lane}.json", role, lane });
        expect(path).toMatch(/^\/w\/[0-9a-f-]+\/artifacts\/x\/[\w-]*\/[\w-]*\.json$/);
        if (other !== lane) {
          expect(artifactPath({ ...place, path: "{lane}.json", lane: other })).not.toBe(
            artifactPath({ ...place, path: "{lane}.json", lane }),
          );
        }
      }),
    );
  });

  test("a template that bypassed validation cannot lead outside", () => {
    for (const path of ["../x.json", "a/../../x.json", ".", "{what}.json", "{constructor}.json"]) {
      expect(() => artifactPath({ ...place, path })).toThrow("the artifact path is not valid");
    }
  });
});
