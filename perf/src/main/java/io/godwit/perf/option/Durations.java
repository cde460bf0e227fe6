package io.godwit.perf.option;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations as users write them: {@code 30s}, {@code 500ms}, {@code 2m}, {@code 1h}; a bare number is seconds. */
public final class Durations implements ITypeConverter<Duration> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(ms|s|m|h)?");

    @Override
    public Duration convert(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + text + "' is not a time as 30s, 500ms or 2m");
        }
        long number = Long.parseLong(matcher.group(1));
        String unit = matcher.group(2);
        if (unit == null || unit.equals("s")) {
            return Duration.ofSeconds(number);
        }
        return switch (unit) {
            case "ms" -> Duration.ofMillis(number);
            case "m" -> Duration.ofMinutes(number);
            default -> Duration.ofHours(number);
        };
    }
}
