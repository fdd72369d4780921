module.exports = (namedScores, context) => {
  const score = (namedScores.Brevity ?? 0) / 2;
  return { pass: score >= context.threshold, score, reason: "half of brevity" };
};
