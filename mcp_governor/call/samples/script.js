export function example() {
  return 'hello';
}
