/** Entry point of template: Nunjucks templates, rendered without executing anything. */
export { TemplateFault } from "./lex.ts";
export { type RenderOptions, renderTemplate, type Vars } from "./render-template.ts";
