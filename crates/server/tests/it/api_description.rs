//! Checks every reply against openapi.yaml.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use http::{HeaderMap, Method, StatusCode};
use serde_json::{Value, json};

/// The API description, parsed once.
pub static API_DESCRIPTION: LazyLock<ApiDescription> = LazyLock::new(ApiDescription::read);

const DOCUMENT_URI: &str = "https://tradebahi.example/openapi";

pub struct ApiDescription {
    document: Value,
}

/// Operation, such as `POST /auth/login`, and a status that the API description lists for it.
pub type DocumentedResponse = (String, String);

/// Operation that requires a session.
pub struct Operation {
    pub id: String,
    pub method: Method,
    /// Path template, such as `/trades/{id}`.
    pub path: String,
    /// True if the request has a field for the caller's own email address.
    pub accepts_email: bool,
}

impl ApiDescription {
    fn read() -> Self {
        let document = serde_norway::from_str(include_str!("../../../../openapi.yaml")).unwrap();
        Self { document }
    }

    /// Returns every status that is listed by number, with its operation, such as `("POST /auth/login", "401")`.
    pub fn documented_responses(&self) -> BTreeSet<DocumentedResponse> {
        let mut responses_by_operation = BTreeSet::new();
        for (path, item) in self.document["paths"].as_object().unwrap() {
            for method in ["get", "post", "put", "patch", "delete"] {
                let Some(responses) = item[method]["responses"].as_object() else { continue };
                for status in responses.keys().filter(|status| *status != "default") {
                    responses_by_operation.insert((format!("{} {path}", method.to_uppercase()), status.clone()));
                }
            }
        }
        responses_by_operation
    }

    /// Returns method, path and JSON request schema of every operation.
    pub fn operations(&self) -> Vec<(String, String, Option<&Value>)> {
        let mut operations = Vec::new();
        for (path, item) in self.document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap().iter().filter(|(_, it)| it.get("responses").is_some())
            {
                let schema = operation.pointer("/requestBody/content/application~1json/schema");
                operations.push((method.to_uppercase(), path.clone(), schema));
            }
        }
        operations
    }

    /// Returns the operations that require a session.
    pub fn session_operations(&self) -> Vec<Operation> {
        let mut operations = Vec::new();
        for (path, item) in self.document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let security = operation.get("security").unwrap_or(&self.document["security"]);
                let Some(id) = operation["operationId"].as_str() else { continue };
                if *security == json!([{ "session": [] }]) {
                    let parameters = operation["parameters"].as_array().into_iter().flatten();
                    let bodies = operation["requestBody"]["content"].as_object().into_iter().flatten();
                    let accepts_email = parameters.into_iter().any(|parameter| parameter["name"] == "email")
                        || bodies.into_iter().any(|(_, body)| self.has_email(&body["schema"]));
                    let method = method.to_uppercase().parse().unwrap();
                    operations.push(Operation { id: id.to_owned(), method, path: path.clone(), accepts_email });
                }
            }
        }
        operations
    }

    /// Returns true if the schema has an `email` property.
    fn has_email(&self, schema: &Value) -> bool {
        self.resolve_reference(schema)["properties"].get("email").is_some()
    }

    /// Checks a reply and returns the documented response that it matches. The reply of an undocumented path must be a
    /// problem.
    pub fn check(
        &self,
        method: &Method,
        path: &str,
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Option<DocumentedResponse> {
        let path = path.strip_prefix("/api/v1").unwrap_or(path);
        let paths = self.document["paths"].as_object().unwrap();
        let template = if paths.contains_key(path) { Some(path) } else { find_template(paths.keys(), path) };
        let path = template.unwrap_or(path);
        let operation = paths.get(path).and_then(|item| item.get(method.as_str().to_lowercase()));
        let response_name = format!("{method} {path} {status}");
        let Some(operation) = operation else {
            let problem = json!({ "$ref": format!("{DOCUMENT_URI}#/components/schemas/Problem") });
            self.check_body(&response_name, &problem, body);
            return None;
        };
        let responses = &operation["responses"];
        let response = responses.get(status.as_str()).or_else(|| responses.get("default"));
        let response =
            self.resolve_reference(response.unwrap_or_else(|| panic!("{response_name} is not in the API description")));

        for (name, header) in response["headers"].as_object().into_iter().flatten() {
            let header = self.resolve_reference(header);
            let sent = headers.get(name);
            assert!(sent.is_some() || header["required"] != true, "{response_name} has no {name}");
        }
        let sent = headers.get("content-type").map(|value| value.to_str().unwrap());
        match response["content"].as_object() {
            None => assert!(body.is_empty(), "{response_name} has a body"),
            Some(content) => {
                let media =
                    sent.unwrap_or_else(|| panic!("{response_name} has no content type")).split(';').next().unwrap();
                let schema = content.get(media).unwrap_or_else(|| panic!("{response_name} is {media}"));
                if media.ends_with("json") {
                    self.check_body(&response_name, &self.with_absolute_references(&schema["schema"]), body);
                }
            }
        }
        let is_listed = responses.get(status.as_str()).is_some();
        is_listed.then(|| (format!("{method} {path}"), status.as_str().to_owned()))
    }

    fn check_body(&self, response_name: &str, schema: &Value, body: &[u8]) {
        let body: Value = serde_json::from_slice(body)
            .unwrap_or_else(|error| panic!("{response_name}: {error}: {}", String::from_utf8_lossy(body)));
        let resource = jsonschema::Resource::from_contents(self.document.clone());
        let validator = jsonschema::draft202012::options()
            .with_registry(&jsonschema::Registry::new().add(DOCUMENT_URI, resource).unwrap().prepare().unwrap())
            .should_validate_formats(true)
            .build(schema)
            .unwrap();
        let errors: Vec<String> =
            validator.iter_errors(&body).map(|error| format!("{} {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{response_name}: {errors:#?}\n{body:#}");
    }

    /// Resolves a local reference; returns any other value unchanged.
    pub fn resolve_reference<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(reference) => self.document.pointer(reference.trim_start_matches('#')).unwrap(),
            None => value,
        }
    }

    /// Returns the schema with absolute references, so that it can be used outside the document.
    fn with_absolute_references(&self, schema: &Value) -> Value {
        match schema {
            Value::Object(members) => members
                .iter()
                .map(|(name, value)| match value.as_str() {
                    Some(local) if name == "$ref" => (name.clone(), json!(format!("{DOCUMENT_URI}{local}"))),
                    _ => (name.clone(), self.with_absolute_references(value)),
                })
                .collect::<serde_json::Map<_, _>>()
                .into(),
            Value::Array(items) => items.iter().map(|item| self.with_absolute_references(item)).collect(),
            other => other.clone(),
        }
    }
}

/// Returns the path template that matches `path`.
fn find_template<'a>(mut templates: impl Iterator<Item = &'a String>, path: &str) -> Option<&'a str> {
    let matches = |template: &str| {
        let (parts, segments): (Vec<_>, Vec<_>) = (template.split('/').collect(), path.split('/').collect());
        let is_match =
            |(part, segment): (&&str, &&str)| part == segment || part.starts_with('{') && !segment.is_empty();
        parts.len() == segments.len() && parts.iter().zip(&segments).all(is_match)
    };
    templates.find(|template| matches(template)).map(String::as_str)
}
