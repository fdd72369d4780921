module.exports = {
  build: ({ vars }) => [{ role: "user", content: `Please: ${vars.topic}` }],
};
