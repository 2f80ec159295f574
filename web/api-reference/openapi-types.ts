/** Types of the parts of an OpenAPI document that the reference page shows. */

export type Node<T> = T | { $ref: string };

export type Schema = {
  $ref?: string;
  description?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  default?: unknown;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  items?: Schema;
  required?: string[];
  properties?: Record<string, Schema>;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
};

export type Example = { value: unknown };
export type Media = { schema: Schema; example?: unknown; examples?: Record<string, Node<Example>> };
type Header = { schema: Schema; required?: boolean; description: string };
export type Body = { content: Record<string, Media> };
export type Response = {
  description: string;
  headers?: Record<string, Node<Header>>;
  content?: Record<string, Media>;
};
export type OpenApiParameter = {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: Schema;
};
export type OpenApiOperation = {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security?: Record<string, unknown>[];
  parameters?: Node<OpenApiParameter>[];
  requestBody?: Node<Body>;
  responses: Record<string, Node<Response>>;
};
type OpenApiPath = {
  servers?: { url: string }[];
  parameters?: Node<OpenApiParameter>[];
} & Partial<Record<"get" | "post" | "put" | "patch" | "delete", OpenApiOperation>>;

export type OpenApi = {
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  security: Record<string, unknown>[];
  tags: { name: string; description: string }[];
  paths: Record<string, OpenApiPath>;
  components: { schemas: Record<string, Schema> };
};
