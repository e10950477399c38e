/** What is used of the validator of JSON Schema, in one module: loaded with the first tool that has one. */
export { Validator } from '@cfworker/json-schema';
