//! Prompts as people write them, and what they are.

use super::*;
use CodeReason::{
    Empty, ErrorText, Fence, Identifier, NoSign, Path, Planning, SmallTalk, ThingAndTask, Things, ToldNot,
    Writing,
};

const ABOUT_CODE: &[(&str, CodeReason)] = &[
    ("where is the login handled?", ThingAndTask),
    ("where is a child process killed when the deadline is over?", ThingAndTask),
    ("how does the budget allocation work", ThingAndTask),
    ("Fix the bug in the parser", ThingAndTask),
    ("how does the cache work", ThingAndTask),
    ("Why is the build so slow?", ThingAndTask),
    ("add a retry with timeout to the HTTP client", ThingAndTask),
    ("Explain the authentication middleware", ThingAndTask),
    ("refactor the reducer into smaller functions", ThingAndTask),
    ("implement a websocket endpoint", ThingAndTask),
    ("write unit tests for the router", ThingAndTask),
    ("write a test for the date parser", ThingAndTask),
    ("rename the config module", ThingAndTask),
    ("Which function calls the logger?", ThingAndTask),
    ("the app crashes when I click the button", ThingAndTask),
    ("find all usages of the session token", ThingAndTask),
    ("review my last commit", ThingAndTask),
    ("can you write the SQL query for it", ThingAndTask),
    ("Show me the database schema", ThingAndTask),
    ("database schema?", Things),
    ("memory leak in the thread pool", Things),
    ("look at src/main.rs", Path),
    ("open Cargo.toml please", Path),
    ("what is in ./scripts/run.sh", Path),
    ("see src/store/writer.rs:42", Path),
    ("tests/it is red", Path),
    ("`spawn` hangs", Identifier),
    ("what does parse_config do", Identifier),
    ("where is handleClick used", Identifier),
    ("the PackSpec needs a field", Identifier),
    ("call foo() twice", Identifier),
    ("does std::mem::take help here", Identifier),
    ("self.writer.flush() never returns", Identifier),
    ("schedule_meeting drops the attendees", Identifier),
    ("poem_generator crashes, fix the function", Identifier),
    ("I get error[E0502]: cannot borrow", ErrorText),
    ("E0382 again", ErrorText),
    ("TypeError: x is not a function", ErrorText),
    ("thread 'main' panicked at 'oops'", ErrorText),
    ("TS2345 in the form", ErrorText),
    ("it says NullPointerException at line 4", ErrorText),
    ("ended with exit code 137", ErrorText),
    ("```rust\nfn main() {}\n```\nwhat is wrong?", Fence),
    ("```\nsome text\n```", Fence),
    ("thanks! now fix the failing test", ThingAndTask),
    ("ok, next: where do we open the database?", ThingAndTask),
    ("로그인 처리는 어디에 있어?", ThingAndTask),
    ("파서 버그 고쳐줘", ThingAndTask),
    ("이 함수 설명해줘", ThingAndTask),
    ("테스트가 왜 실패하지", ThingAndTask),
    ("빌드가 너무 느려", ThingAndTask),
    ("인증 미들웨어를 리팩토링해줘", ThingAndTask),
    ("캐시 로직 확인 부탁해", ThingAndTask),
    ("설정을 읽는 코드 찾아줘", ThingAndTask),
    ("에러가 나요", ThingAndTask),
    ("데이터베이스 마이그레이션 추가해줘", ThingAndTask),
    ("스레드 교착 상태", Things),
    ("src/app.py 봐줘", Path),
    ("main.rs에서 시작해", Path),
    ("인증gen_itgc처리 어디야", Identifier),
    ("parseConfig는 뭐 하는 함수야", Identifier),
    ("`load` 이거 뭐야", Identifier),
    ("컴파일 에러: 타입이 안 맞아", ErrorText),
    ("ValueError가 발생해요: ValueError", ErrorText),
    ("고마워! 이제 버그 수정해줘", ThingAndTask),
    ("git 커밋 메시지 작성하는 함수 만들어줘", ThingAndTask),
    ("문자열 인코딩이 깨져", ThingAndTask),
];

const NOT_ABOUT_CODE: &[(&str, CodeReason)] = &[
    ("", Empty),
    ("   \n\t", Empty),
    ("🎉🎉🎉", Empty),
    ("?!", Empty),
    ("👍🏽 🇰🇷", Empty),
    ("thanks", SmallTalk),
    ("Thanks, that is perfect!", SmallTalk),
    ("hi there", SmallTalk),
    ("yes", SmallTalk),
    ("ok continue", SmallTalk),
    ("good morning", SmallTalk),
    ("고마워요", SmallTalk),
    ("안녕하세요", SmallTalk),
    ("네 좋아요", SmallTalk),
    ("ㅋㅋㅋ", SmallTalk),
    ("write a poem about rust", Writing),
    ("Write a haiku about a function", Writing),
    ("tell me a joke about Python", Writing),
    ("a short story about a lonely server", Writing),
    ("Translate README.md into Korean", Writing),
    ("draft an email to the team", Writing),
    ("proofread this paragraph", Writing),
    ("러스트에 대한 시 한 편 써줘", Writing),
    ("이 문장 번역해줘", Writing),
    ("팀에 보낼 메일 써줘", Writing),
    ("서버에 대한 농담 하나 해줘", Writing),
    ("let's not talk, this is not about code", ToldNot),
    ("answer without code: what is a mutex?", ToldNot),
    ("don't touch the code, just explain the function", ToldNot),
    ("코드 말고 일정 이야기하자", ToldNot),
    ("코드 없이 파서가 뭔지 설명해줘", ToldNot),
    ("When is the next meeting?", Planning),
    ("what is our roadmap for Q3", Planning),
    ("let us plan the test schedule", Planning),
    ("who will review this tomorrow", Planning),
    ("다음 주 일정 정리해줘", Planning),
    ("테스트 일정이 언제야", Planning),
    ("회의 내용 요약해줘", Planning),
    ("내일 점심 뭐 먹지", Planning),
    ("우선순위를 다시 정하자", Planning),
    // A known limit: talk of plans needs a sharper sign.
    ("how is the roadmap parser implemented in the module", Planning),
    ("what is the capital of France?", NoSign),
    ("I feel tired today", NoSign),
    ("how do I convince my boss", NoSign),
    ("summarise what we decided", NoSign),
    ("GitHub or GitLab?", NoSign),
    ("see https://example.com/a_b", NoSign),
    ("my address is first.last@example.com", NoSign),
    ("classic novels are long-winded and well-known", NoSign),
    ("그 사람은 왜 그랬을까", NoSign),
    ("오늘 날씨 어때", NoSign),
    ("우리 회사 비전이 뭐야", NoSign),
    ("ما هي عاصمة فرنسا؟", NoSign),
    ("מה שלומך היום", NoSign),
    ("今日はいい天気ですね", NoSign),
    ("1 + 2 = 3", NoSign),
];

#[test]
fn prompts_about_code() {
    for (prompt, reason) in ABOUT_CODE {
        let question = is_code_question(prompt);
        assert_eq!((question.about_code, question.reason), (true, *reason), "{prompt}");
    }
}

#[test]
fn prompts_about_something_else() {
    for (prompt, reason) in NOT_ABOUT_CODE {
        let question = is_code_question(prompt);
        assert_eq!((question.about_code, question.reason), (false, *reason), "{prompt}");
    }
    assert!(ABOUT_CODE.len() + NOT_ABOUT_CODE.len() >= 100);
}

#[test]
fn terms_say_what_to_look_for() {
    let cases: &[(&str, &[&str])] = &[
        ("where is parse_config called in src/main.rs?", &["parse_config", "src/main.rs", "main", "called"]),
        ("인증gen-itgc처리 어디야", &["인증", "gen-itgc", "처리"]),
        ("인증을 처리하는 함수에서 토큰까지", &["인증", "함수", "토큰"]),
        ("fix `Child::stop()` please", &["Child", "stop"]),
        ("the \"retry policy\" of fetchAll()", &["fetchAll", "retry", "policy"]),
        ("Why does the LOGIN page use login tokens", &["LOGIN", "page", "tokens"]),
        ("thanks", &[]),
        ("🎉", &[]),
        ("please look at the code and fix it", &[]),
        ("src/a/b.rs:12 fails", &["src/a/b.rs", "fails"]),
    ];
    for (prompt, wanted) in cases {
        let terms = is_code_question(prompt).terms;
        for term in *wanted {
            assert!(terms.iter().any(|known| known == term), "{term} of {prompt}: {terms:?}");
        }
        assert_eq!(terms.is_empty(), wanted.is_empty(), "{prompt}: {terms:?}");
    }
    let many: String = (0..100).map(|n| format!("wort{n}_x ")).collect();
    assert_eq!(is_code_question(&many).terms.len(), 24);
    let long = "a".repeat(100_000);
    assert!(is_code_question(&long).terms.is_empty());
}

#[test]
fn any_text_is_decided() {
    use proptest::prelude::*;
    proptest!(|(text in "\\PC{0,200}")| {
        let question = is_code_question(&text);
        prop_assert!(question.terms.len() <= 24);
        prop_assert!(question.terms.iter().all(|term| !term.is_empty() && term.chars().count() <= 64));
        prop_assert_eq!(&question, &is_code_question(&text));
    });
}
