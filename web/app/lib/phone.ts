/** The ten digits of an Indian number, from whatever was typed or pasted: +91 98450 12345, 098450-12345. */
export function tenDigits(input: string): string {
  const digits = input.replace(/\D/g, "");
  if (digits.length === 12 && digits.startsWith("91")) return digits.slice(2);
  if (digits.length === 11 && digits.startsWith("0")) return digits.slice(1);
  return digits;
}
