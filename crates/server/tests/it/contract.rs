//! Holds every reply against openapi.yaml.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use http::{HeaderMap, Method, StatusCode};
use serde_json::{Value, json};

/// The contract, read once.
pub static CONTRACT: LazyLock<Contract> = LazyLock::new(Contract::read);

const ID: &str = "https://tradebahi.example/openapi";

pub struct Contract {
    document: Value,
}

/// An operation and a status that the contract lists for it.
pub type Listed = (String, String);

/// An operation that takes a session and nothing else.
pub struct Operation {
    pub id: String,
    pub method: Method,
    /// As in the contract, such as `/trades/{id}`.
    pub path: String,
    /// It takes the caller's own e-mail address.
    pub takes_email: bool,
}

impl Contract {
    fn read() -> Self {
        let document = serde_norway::from_str(include_str!("../../../../openapi.yaml")).unwrap();
        Self { document }
    }

    /// Every status that is listed by its number, with its operation, such as `("POST /auth/login", "401")`.
    pub fn listed(&self) -> BTreeSet<Listed> {
        let mut listed = BTreeSet::new();
        for (path, item) in self.document["paths"].as_object().unwrap() {
            for method in ["get", "post", "put", "patch", "delete"] {
                let Some(responses) = item[method]["responses"].as_object() else { continue };
                for status in responses.keys().filter(|status| *status != "default") {
                    listed.insert((format!("{} {path}", method.to_uppercase()), status.clone()));
                }
            }
        }
        listed
    }

    /// Every operation: its method, its path, and the schema of the JSON that it takes, if it takes any.
    pub fn operations(&self) -> Vec<(String, String, Option<&Value>)> {
        let mut found = Vec::new();
        for (path, item) in self.document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap().iter().filter(|(_, it)| it.get("responses").is_some())
            {
                let schema = operation.pointer("/requestBody/content/application~1json/schema");
                found.push((method.to_uppercase(), path.clone(), schema));
            }
        }
        found
    }

    pub fn behind_a_session(&self) -> Vec<Operation> {
        let mut found = Vec::new();
        for (path, item) in self.document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let security = operation.get("security").unwrap_or(&self.document["security"]);
                let Some(id) = operation["operationId"].as_str() else { continue };
                if *security == json!([{ "session": [] }]) {
                    let parameters = operation["parameters"].as_array().into_iter().flatten();
                    let bodies = operation["requestBody"]["content"].as_object().into_iter().flatten();
                    let takes_email = parameters.into_iter().any(|parameter| parameter["name"] == "email")
                        || bodies.into_iter().any(|(_, body)| self.has_email(&body["schema"]));
                    let method = method.to_uppercase().parse().unwrap();
                    found.push(Operation { id: id.to_owned(), method, path: path.clone(), takes_email });
                }
            }
        }
        found
    }

    /// Whether a form of that schema has a field for an address.
    fn has_email(&self, schema: &Value) -> bool {
        self.resolved(schema)["properties"].get("email").is_some()
    }

    /// Checks a reply, and says which listed status it is. A reply of a path that the contract does not know must be a
    /// problem.
    pub fn check(
        &self,
        method: &Method,
        path: &str,
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Option<Listed> {
        let path = path.strip_prefix("/api/v1").unwrap_or(path);
        let paths = self.document["paths"].as_object().unwrap();
        let template = if paths.contains_key(path) { Some(path) } else { template(paths.keys(), path) };
        let path = template.unwrap_or(path);
        let operation = paths.get(path).and_then(|item| item.get(method.as_str().to_lowercase()));
        let place = format!("{method} {path} {status}");
        let Some(operation) = operation else {
            let problem = json!({ "$ref": format!("{ID}#/components/schemas/Problem") });
            self.check_body(&place, &problem, body);
            return None;
        };
        let responses = &operation["responses"];
        let response = responses.get(status.as_str()).or_else(|| responses.get("default"));
        let response = self.resolved(response.unwrap_or_else(|| panic!("{place} is not in the contract")));

        for (name, header) in response["headers"].as_object().into_iter().flatten() {
            let header = self.resolved(header);
            let sent = headers.get(name);
            assert!(sent.is_some() || header["required"] != true, "{place} has no {name}");
        }
        let sent = headers.get("content-type").map(|value| value.to_str().unwrap());
        match response["content"].as_object() {
            None => assert!(body.is_empty(), "{place} has a body"),
            Some(content) => {
                let media = sent.unwrap_or_else(|| panic!("{place} has no content type")).split(';').next().unwrap();
                let schema = content.get(media).unwrap_or_else(|| panic!("{place} is {media}"));
                if media.ends_with("json") {
                    self.check_body(&place, &self.absolute(&schema["schema"]), body);
                }
            }
        }
        let listed = responses.get(status.as_str()).is_some();
        listed.then(|| (format!("{method} {path}"), status.as_str().to_owned()))
    }

    fn check_body(&self, place: &str, schema: &Value, body: &[u8]) {
        let body: Value = serde_json::from_slice(body)
            .unwrap_or_else(|error| panic!("{place}: {error}: {}", String::from_utf8_lossy(body)));
        let resource = jsonschema::Resource::from_contents(self.document.clone());
        let validator = jsonschema::draft202012::options()
            .with_registry(&jsonschema::Registry::new().add(ID, resource).unwrap().prepare().unwrap())
            .should_validate_formats(true)
            .build(schema)
            .unwrap();
        let errors: Vec<String> =
            validator.iter_errors(&body).map(|error| format!("{} {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{place}: {errors:#?}\n{body:#}");
    }

    /// What a local reference points to, or the value itself.
    pub fn resolved<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(reference) => self.document.pointer(reference.trim_start_matches('#')).unwrap(),
            None => value,
        }
    }

    /// The schema with its references made absolute, so that it stands outside the document.
    fn absolute(&self, schema: &Value) -> Value {
        match schema {
            Value::Object(members) => members
                .iter()
                .map(|(name, value)| match value.as_str() {
                    Some(local) if name == "$ref" => (name.clone(), json!(format!("{ID}{local}"))),
                    _ => (name.clone(), self.absolute(value)),
                })
                .collect::<serde_json::Map<_, _>>()
                .into(),
            Value::Array(items) => items.iter().map(|item| self.absolute(item)).collect(),
            other => other.clone(),
        }
    }
}

/// The template that `path` is made by.
fn template<'a>(mut templates: impl Iterator<Item = &'a String>, path: &str) -> Option<&'a str> {
    let fits = |template: &str| {
        let (parts, asked): (Vec<_>, Vec<_>) = (template.split('/').collect(), path.split('/').collect());
        let fits = |(part, asked): (&&str, &&str)| part == asked || part.starts_with('{') && !asked.is_empty();
        parts.len() == asked.len() && parts.iter().zip(&asked).all(fits)
    };
    templates.find(|template| fits(template)).map(String::as_str)
}
