module.exports = (output, context) => ({
  pass: output.startsWith(context.vars.question.toUpperCase()),
  score: 0.75,
  reason: "checked by a file",
  namedScores: { file: 0.5 },
});
module.exports.isLoud = (output) => output === output.toUpperCase();
