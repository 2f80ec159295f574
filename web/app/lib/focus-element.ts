/** Ref for a message that replaces the control that had the focus: Tab and screen readers continue at the message. */
export function focusElement(element: HTMLElement | null): void {
  element?.focus();
}
