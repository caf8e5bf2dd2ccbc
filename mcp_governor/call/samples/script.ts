export function example(): string {
  return 'hello';
}
