//! What a file is, told from its name: its language, and whether it is code, prose, data, tests or copied in.

/// What kind of text a file holds; decides how much its matches count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Code,
    Prose,
    Data,
    /// Never read.
    Binary,
    /// Lock files and squeezed code: never read.
    MachineMade,
}

/// Endings, the language's name as fences use it, and the kind.
const ENDINGS: &[(&[&str], &str, Kind)] = &[
    (&["rs"], "rust", Kind::Code),
    (&["py", "pyi", "pyw"], "python", Kind::Code),
    (&["js", "mjs", "cjs", "jsx"], "javascript", Kind::Code),
    (&["ts", "mts", "cts"], "typescript", Kind::Code),
    (&["tsx"], "tsx", Kind::Code),
    (&["go"], "go", Kind::Code),
    (&["java"], "java", Kind::Code),
    (&["c", "h"], "c", Kind::Code),
    (&["cc", "cpp", "cxx", "hh", "hpp", "hxx", "inl", "ipp"], "cpp", Kind::Code),
    (&["cs"], "csharp", Kind::Code),
    (&["kt", "kts"], "kotlin", Kind::Code),
    (&["swift"], "swift", Kind::Code),
    (&["rb"], "ruby", Kind::Code),
    (&["php"], "php", Kind::Code),
    (&["scala"], "scala", Kind::Code),
    (&["dart"], "dart", Kind::Code),
    (&["lua"], "lua", Kind::Code),
    (&["ex", "exs"], "elixir", Kind::Code),
    (&["hs"], "haskell", Kind::Code),
    (&["ml", "mli"], "ocaml", Kind::Code),
    (&["zig"], "zig", Kind::Code),
    (&["vue"], "vue", Kind::Code),
    (&["svelte"], "svelte", Kind::Code),
    (&["sql"], "sql", Kind::Code),
    (&["sh", "bash", "zsh"], "bash", Kind::Code),
    (&["ps1"], "powershell", Kind::Code),
    (&["proto"], "protobuf", Kind::Code),
    (&["css", "scss", "less"], "css", Kind::Code),
    (&["html", "htm"], "html", Kind::Data),
    (&["md", "mdx", "markdown"], "markdown", Kind::Prose),
    (&["txt", "rst", "adoc", "org"], "text", Kind::Prose),
    (&["toml"], "toml", Kind::Data),
    (&["yaml", "yml"], "yaml", Kind::Data),
    (&["json", "jsonc", "json5"], "json", Kind::Data),
    (&["xml", "svg"], "xml", Kind::Data),
    (&["csv", "tsv", "jsonl", "ndjson", "log"], "text", Kind::Data),
    (
        &[
            "png",
            "jpg",
            "jpeg",
            "gif",
            "webp",
            "ico",
            "icns",
            "bmp",
            "tiff",
            "psd",
            "mp3",
            "mp4",
            "mov",
            "avi",
            "wav",
            "ogg",
            "flac",
            "webm",
            "ttf",
            "otf",
            "woff",
            "woff2",
            "eot",
            "pdf",
            "zip",
            "gz",
            "tgz",
            "bz2",
            "xz",
            "zst",
            "7z",
            "rar",
            "tar",
            "jar",
            "war",
            "class",
            "o",
            "a",
            "so",
            "dylib",
            "dll",
            "exe",
            "lib",
            "obj",
            "rlib",
            "rmeta",
            "pyc",
            "pyd",
            "whl",
            "wasm",
            "bin",
            "dat",
            "db",
            "sqlite",
            "sqlite3",
            "parquet",
            "onnx",
            "pt",
            "gguf",
            "safetensors",
            "npy",
            "npz",
            "pack",
            "idx",
            "docx",
            "xlsx",
            "pptx",
            "hwp",
            "hwpx",
        ],
        "",
        Kind::Binary,
    ),
    (&["lock", "map", "lockb"], "", Kind::MachineMade),
];

/// Files of these names are written by package managers.
const LOCK_FILES: &[&str] =
    &["package-lock.json", "pnpm-lock.yaml", "npm-shrinkwrap.json", "go.sum", "packages.lock.json"];

/// What a file's name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileKind {
    /// Empty when not known.
    pub language: &'static str,
    pub kind: Kind,
}

/// Tells a file by its name. A name that says nothing is taken for text.
pub(super) fn of_name(name: &str) -> FileKind {
    let lower = name.to_lowercase();
    let machine_made = FileKind { language: "", kind: Kind::MachineMade };
    if LOCK_FILES.contains(&lower.as_str()) {
        return machine_made;
    }
    if [".min.js", ".min.css", ".min.mjs", ".bundle.js"].iter().any(|end| lower.ends_with(end)) {
        return machine_made;
    }
    match lower.as_str() {
        "makefile" | "justfile" => return FileKind { language: "makefile", kind: Kind::Code },
        "dockerfile" | "containerfile" => return FileKind { language: "dockerfile", kind: Kind::Code },
        _ => {}
    }
    let ending = lower.rsplit_once('.').map_or("", |(_, ending)| ending);
    ENDINGS.iter().find(|(endings, ..)| endings.contains(&ending)).map_or(
        FileKind { language: "", kind: Kind::Prose },
        |(_, language, kind)| FileKind { language, kind: *kind },
    )
}

/// What a file's place says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    pub test: bool,
    pub vendored: bool,
    pub generated: bool,
}

/// Tells tests, copied-in and generated code by the path, relative to the project, with `/`.
pub(super) fn place(path: &str) -> Place {
    let lower = path.to_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let mut place = Place::default();
    for folder in folders.split('/') {
        match folder {
            "test" | "tests" | "__tests__" | "spec" | "specs" | "testdata" | "fixtures" | "__mocks__"
            | "mocks" | "e2e" => place.test = true,
            "vendor" | "vendored" | "third_party" | "third-party" | "thirdparty" | "external" | "deps" => {
                place.vendored = true;
            }
            "generated" | "gen" | "__generated__" => place.generated = true,
            _ => {}
        }
    }
    let stem = name.split('.').next().unwrap_or_default();
    place.test |= stem.starts_with("test_")
        || ["_test", "_tests", "_spec"].iter().any(|end| stem.ends_with(end))
        || stem == "tests"
        || name.contains(".test.")
        || name.contains(".spec.")
        || path
            .rsplit('/')
            .next()
            .is_some_and(|name| name.ends_with("Test.java") || name.ends_with("Tests.java"));
    place.generated |= [".pb.go", ".g.dart", "_pb2.py", ".d.ts", ".generated.ts", "_generated.rs", ".gen.go"]
        .iter()
        .any(|end| name.ends_with(end));
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_a_file_is() {
        for (name, language, kind) in [
            ("main.rs", "rust", Kind::Code),
            ("App.TSX", "tsx", Kind::Code),
            ("index.d.ts", "typescript", Kind::Code),
            ("Makefile", "makefile", Kind::Code),
            ("README.md", "markdown", Kind::Prose),
            ("LICENSE", "", Kind::Prose),
            ("Cargo.lock", "", Kind::MachineMade),
            ("package-lock.json", "", Kind::MachineMade),
            ("jquery.min.js", "", Kind::MachineMade),
            ("logo.PNG", "", Kind::Binary),
            (".gitignore", "", Kind::Prose),
            ("한글.py", "python", Kind::Code),
        ] {
            assert_eq!(of_name(name), FileKind { language, kind }, "{name}");
        }
    }

    #[test]
    fn places_say_tests_and_copies() {
        for (path, test, vendored, generated) in [
            ("src/main.rs", false, false, false),
            ("tests/it/main.rs", true, false, false),
            ("src/store/tests.rs", true, false, false),
            ("src/fence_tests.rs", true, false, false),
            ("pkg/user_test.go", true, false, false),
            ("web/App.test.tsx", true, false, false),
            ("src/UserTest.java", true, false, false),
            ("src/latest.rs", false, false, false),
            ("vendor/zlib/inflate.c", false, true, false),
            ("api/user.pb.go", false, false, true),
        ] {
            assert_eq!(place(path), Place { test, vendored, generated }, "{path}");
        }
    }
}
