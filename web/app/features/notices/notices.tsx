import { useEffect, useRef } from "react";
import { useLocation } from "react-router";
import { dismiss, type Notice, type Question, useNotices } from "#lib/notices.ts";
import { Banner } from "#ui/banner.tsx";
import { Button, ButtonLink } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";

/** Shows the current notice and question at the top of any page. */
export function Notices() {
  const { notice, question } = useNotices();
  return (
    <>
      {notice && <NoticeBanner key={notice.title} notice={notice} />}
      {question && <QuestionDialog question={question} />}
    </>
  );
}

/** Stays until it is dismissed or the user opens another page. */
function NoticeBanner({ notice }: { notice: Notice }) {
  const { tone, title, text, link } = notice;
  const { pathname } = useLocation();
  const shownOn = useRef(pathname);
  useEffect(() => {
    if (pathname !== shownOn.current) dismiss(notice);
  }, [pathname, notice]);

  return (
    <div className="page-width py-3">
      <Banner
        role="status"
        tone={tone}
        title={title}
        onDismiss={() => dismiss(notice)}
        actions={
          link && (
            <ButtonLink to={link.to} variant="secondary" size="sm">
              {link.label}
            </ButtonLink>
          )
        }
      >
        {text}
      </Banner>
    </div>
  );
}

function QuestionDialog({ question: { title, text, confirmLabel, answer } }: { question: Question }) {
  return (
    <Dialog
      open
      onClose={() => answer(false)}
      title={title}
      actions={
        <>
          <Button variant="secondary" onClick={() => answer(false)} data-autofocus>
            Cancel
          </Button>
          <Button onClick={() => answer(true)}>{confirmLabel}</Button>
        </>
      }
    >
      {text && <p>{text}</p>}
    </Dialog>
  );
}
