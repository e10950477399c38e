/** A JSON value, as CloudFormation templates hold them. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [key: string]: Json;
}

/** One entry of a template's `Resources`. */
export interface TemplateResource {
  Type: string;
  Properties?: JsonObject;
  DependsOn?: string | string[];
  Condition?: string;
  Metadata?: JsonObject;
}

/** One entry of a template's `Parameters`. */
export interface TemplateParameter {
  Type: string;
  Default?: Json;
  AllowedValues?: Json[];
  AllowedPattern?: string;
  MinValue?: number;
  MaxValue?: number;
  Description?: string;
}

/** The parts of a synthesized CloudFormation template that the embedded stack reads. */
export interface Template {
  Metadata?: JsonObject;
  Parameters?: Record<string, TemplateParameter>;
  Conditions?: Record<string, Json>;
  Resources: Record<string, TemplateResource>;
  Outputs?: Record<string, { Value: Json }>;
}

/** True for a JSON object (not null, not a list). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
