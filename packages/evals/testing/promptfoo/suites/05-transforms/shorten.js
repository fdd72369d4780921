module.exports = (output) => output.split(/\s+/)[0];
module.exports.last = (output, context) => `${output.split(/\s+/).at(-1)} of ${context.vars.text}`;
