// The mathematics of the figures: pure functions on nested arrays, nothing of the page.

export const shape = (a) => (Array.isArray(a) ? [a.length, ...(a.length ? shape(a[0]) : [])] : []);
export const sum = (row) => row.reduce((total, x) => total + x, 0);
export const dot = (a, b) => a.reduce((total, x, k) => total + x * b[k], 0);
export const norm = (row) => Math.hypot(...row);
export const transpose = (a) => a[0].map((_, j) => a.map((row) => row[j]));
export const scale = (a, factor) => a.map((row) => row.map((x) => x * factor));
export const add = (a, b) => a.map((row, i) => row.map((x, j) => x + b[i][j]));

export function matmul(a, b) {
  const [n, inner] = shape(a), [other, m] = shape(b);
  if (inner !== other) throw new Error(`(${n} × ${inner}) · (${other} × ${m}): ${inner} is not ${other}`);
  const columns = transpose(b);
  return a.map((row) => columns.map((column) => dot(row, column)));
}

// The largest score is taken off first, so that no exponential overflows.
export function softmax(row) {
  const top = Math.max(...row), powers = row.map((x) => Math.exp(x - top)), total = sum(powers);
  return powers.map((e) => e / total);
}

// 1 − p without the loss of digits that the subtraction has when p is close to 1.
const rest = (p, i) => sum(p.filter((_, j) => j !== i));

// In nats. A weight near 1 takes its logarithm from what the others leave.
export const entropy = (p) =>
  sum(p.map((w, i) => (w > 0.5 ? -w * Math.log1p(-rest(p, i)) : w > 0 ? -w * Math.log(w) : 0)));

// Frobenius norm of ∂p/∂s = diag(p) − p pᵀ.
export const jacobianNorm = (p) =>
  Math.hypot(...p.flatMap((w, i) => p.map((v, j) => (i === j ? w * rest(p, i) : -w * v))));

// Standard deviation about the mean, divided by the count.
export function std(row) {
  const mean = sum(row) / row.length;
  return Math.sqrt(sum(row.map((x) => (x - mean) ** 2)) / row.length);
}

export const share = (row, limit) => row.filter((x) => Math.abs(x) <= limit).length / row.length;

// Float32 arithmetic passes, a wrong formula does not.
export const differs = (own, reference) => !(Math.abs(own - reference) <= 1e-6 + 1e-5 * Math.abs(reference));
