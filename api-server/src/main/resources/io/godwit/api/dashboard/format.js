// Numbers and texts for people.

/** For what is not known. */
export const UNKNOWN = '–'

const WHOLE = new Intl.NumberFormat('en', {maximumFractionDigits: 0})
const SMALL = new Intl.NumberFormat('en', {maximumFractionDigits: 1})
const TINY = new Intl.NumberFormat('en', {maximumFractionDigits: 2})

export function count(value) {
  return value === null || value === undefined ? UNKNOWN : WHOLE.format(value)
}

export function rate(value) {
  return value === null || value === undefined ? UNKNOWN
    : (value < 10 ? TINY : value < 100 ? SMALL : WHOLE).format(value)
}

export function bytes(value) {
  let unit = 0
  let rest = value
  while (rest >= 1024 && unit < 5) {
    rest /= 1024
    unit++
  }
  return (unit === 0 ? WHOLE : SMALL).format(rest) + ' ' + ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'][unit]
}

export function share(value) {
  return value < 0 ? UNKNOWN : WHOLE.format(value * 100) + ' %'
}

export function millis(value) {
  return value === undefined || value === null ? UNKNOWN : SMALL.format(value) + ' ms'
}

export function time(atMillis) {
  return new Date(atMillis).toLocaleString()
}

/**
 * A text that somebody else chose, as it can be read: what would be invisible or turn the direction of writing stands
 * as its number, and the end of a long one is left out.
 */
export function visible(text, longest = 4096) {
  const shown = text.length > longest ? text.slice(0, longest) + '…' : text
  return shown.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}]/gu,
    each => '\\u{' + each.codePointAt(0).toString(16) + '}')
}
