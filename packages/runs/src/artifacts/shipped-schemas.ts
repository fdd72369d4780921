/**
 * Every artifact schema that Devflow ships, compiled in. A test compares this list with the folder.
 * To add one: add the file `schemas/artifacts/<domain>/<name>@<version>.json` and its line here. A released one never changes.
 */
import btIterationResult1 from "../../../../schemas/artifacts/bt/iteration-result@1.json" with { type: "json" };
import btObjective1 from "../../../../schemas/artifacts/bt/objective@1.json" with { type: "json" };
import commonFinalReport1 from "../../../../schemas/artifacts/common/final-report@1.json" with { type: "json" };
import commonFinalReport2 from "../../../../schemas/artifacts/common/final-report@2.json" with { type: "json" };
import commonFinalReport3 from "../../../../schemas/artifacts/common/final-report@3.json" with { type: "json" };
import commonFinalReport4 from "../../../../schemas/artifacts/common/final-report@4.json" with { type: "json" };
import commonFinalReport5 from "../../../../schemas/artifacts/common/final-report@5.json" with { type: "json" };
import devChangeReport1 from "../../../../schemas/artifacts/dev/change-report@1.json" with { type: "json" };
import devDag1 from "../../../../schemas/artifacts/dev/dag@1.json" with { type: "json" };
import devDag2 from "../../../../schemas/artifacts/dev/dag@2.json" with { type: "json" };
import devFixReport1 from "../../../../schemas/artifacts/dev/fix-report@1.json" with { type: "json" };
import devPhasePlan1 from "../../../../schemas/artifacts/dev/phase-plan@1.json" with { type: "json" };
import devReviewFindingBatch1 from "../../../../schemas/artifacts/dev/review-finding-batch@1.json" with {
  type: "json",
};
import devSpec1 from "../../../../schemas/artifacts/dev/spec@1.json" with { type: "json" };
import devVerification1 from "../../../../schemas/artifacts/dev/verification@1.json" with { type: "json" };
import qaReport1 from "../../../../schemas/artifacts/qa/report@1.json" with { type: "json" };

export const shippedSchemas: Readonly<Record<string, object>> = {
  "bt/iteration-result@1": btIterationResult1,
  "bt/objective@1": btObjective1,
  "common/final-report@1": commonFinalReport1,
  "common/final-report@2": commonFinalReport2,
  "common/final-report@3": commonFinalReport3,
  "common/final-report@4": commonFinalReport4,
  "common/final-report@5": commonFinalReport5,
  "dev/change-report@1": devChangeReport1,
  "dev/dag@1": devDag1,
  "dev/dag@2": devDag2,
  "dev/fix-report@1": devFixReport1,
  "dev/phase-plan@1": devPhasePlan1,
  "dev/review-finding-batch@1": devReviewFindingBatch1,
  "dev/spec@1": devSpec1,
  "dev/verification@1": devVerification1,
  "qa/report@1": qaReport1,
};
