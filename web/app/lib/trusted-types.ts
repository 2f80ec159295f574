/**
 * Accepts the text that React passes to the browser as HTML when it renders a script element, such as structured data
 * after a navigation: an empty script, and then its text, which has no markup. Browsers that have Trusted Types report
 * everything else. Runs in the head of every page, so it must not contain & < > " ', which React would escape.
 */
export const HTML_POLICY_SCRIPT =
  ";window.trustedTypes?.createPolicy(`default`,{createHTML(h)" +
  "{return/^(\\x3cscript\\x3e\\x3c\\/script\\x3e|[^\\x3c]*)$/.test(h)?h:null}})";
