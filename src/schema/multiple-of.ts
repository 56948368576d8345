/** Whether a number is a multiple of another in decimal: 19.99 is a multiple of 0.01, which binary division denies. */
export function isMultiple(value: number, of: number): boolean {
  const [a, b] = [decimal(value), decimal(of)]
  const scale = Math.min(a.exponent, b.exponent)
  return scaled(a, scale) % scaled(b, scale) === 0n
}

interface Decimal {
  digits: bigint
  exponent: number
}

function decimal(number: number): Decimal {
  const [mantissa = '', exponent = '0'] = String(number).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}

function scaled({ digits, exponent }: Decimal, scale: number): bigint {
  return digits * 10n ** BigInt(exponent - scale)
}
