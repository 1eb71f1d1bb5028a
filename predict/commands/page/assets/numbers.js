// Numbers as `predict` prints them: three digits, a unit, intervals as +- while that says enough.

/** A figure of the document: a number, [value, low, high], or null. */
function estimateOf(item) {
    if (item === null || item === undefined) return null;
    if (Array.isArray(item)) return { value: item[0], low: item[1], high: item[2] };
    return { value: item, low: null, high: null };
}

const UNITS = ['', 'k', 'M', 'G', 'T'];

/** 64 205 312 -> "64.2 M"; from 1e15 on a power of ten. */
function countText(value) {
    if (value === null || value === undefined || Number.isNaN(value)) return 'unknown';
    if (value === 0) return '0';
    const size = Math.abs(value);
    if (size < 1000 && Number.isInteger(value)) return String(value);
    if (size < 0.01) return '<0.01';
    if (size < 1) return trimmed(value.toPrecision(2));
    let unit = 0,
        scaled = value;
    while (Math.abs(Number(scaled.toPrecision(3))) >= 1000 && unit < UNITS.length) {
        scaled /= 1000;
        unit++;
    }
    if (unit === UNITS.length) return value.toExponential(2);
    return scaled.toPrecision(3) + (unit ? ' ' + UNITS[unit] : '');
}

/** Without zeros at the end of decimals. */
function trimmed(text) {
    return text.includes('e') || !text.includes('.') ? text : text.replace(/0+$/, '').replace(/\.$/, '');
}

const TIME_UNITS = [
    [1e-9, 'ns'],
    [1e-6, 'µs'],
    [1e-3, 'ms'],
    [1, 's'],
];
function secondsText(value) {
    if (value === null || value === undefined) return 'unknown';
    if (value === 0) return '0 s';
    let unit = TIME_UNITS[0];
    for (const next of TIME_UNITS) if (value >= next[0] * 0.9995) unit = next;
    const scaled = value / unit[0];
    return (
        (scaled >= 999.5 ? countText(Math.round(scaled)) : scaled.toPrecision(3)) + ' ' + unit[1]
    );
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
function bytesText(value) {
    let unit = 0;
    while (value >= 1024 && unit + 1 < BYTE_UNITS.length) {
        value /= 1024;
        unit++;
    }
    return (
        trimmed(value >= 100 ? value.toFixed(0) + '.0' : value.toPrecision(3)) +
        ' ' +
        BYTE_UNITS[unit]
    );
}

/** A ratio as "12.3 %". */
function percentText(ratio) {
    if (ratio === null || ratio === undefined || Number.isNaN(ratio)) return 'unknown';
    const percent = 100 * ratio;
    if (percent === 0) return '0 %';
    if (percent >= 99.95) return percent.toFixed(0) + ' %';
    if (percent < 1e-4) return '<0.0001 %';
    return (
        (percent >= 10
            ? percent.toFixed(1)
            : trimmed(percent.toPrecision(percent < 0.01 ? 1 : 2))) + ' %'
    );
}

function plainText(value) {
    return value === null || value === undefined ? 'unknown' : trimmed(value.toPrecision(6));
}

/** "+-4.0 %", "57.0 ms to 66.0 ms", or '' where the figure is exact. */
function intervalText(estimate, write) {
    if (!estimate || estimate.low === null || estimate.low === undefined) return '';
    const { value, low, high } = estimate;
    if (low === value && high === value) return '';
    const below = value - low,
        above = high - value,
        far = Math.max(below, above);
    const isLopsided = far > 0.05 * value && far > 2 * Math.min(below, above);
    if (value > 0 && far <= 0.3 * value && !isLopsided) return '±' + percentText(far / value);
    return `${write(low)} to ${write(high)}`;
}

/** The whole figure for a tooltip: "64.2 M (64.0 M to 64.4 M)". */
function figureText(estimate, write) {
    if (!estimate) return 'unknown';
    const interval = intervalText(estimate, write);
    return interval
        ? `${write(estimate.value)} (${write(estimate.low)} to ${write(estimate.high)})`
        : write(estimate.value);
}
