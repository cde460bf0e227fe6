package io.godwit.broker.settings.store;

/**
 * A setting of a balancer or of the split hinter, whichever has that name.
 *
 * @param name of the balancer or hinter
 * @param key the setting
 * @param value its value
 */
public record BalanceTuning(String name, String key, String value) {
    /** @throws IllegalArgumentException if the text is not {@code name.setting=value} */
    public static BalanceTuning parse(String text) {
        int equals = text.indexOf('=');
        int dot = text.lastIndexOf('.', equals);
        if (dot < 1 || dot + 1 >= equals) {
            throw new IllegalArgumentException("must be balancer.setting=value, one a line, but has \"" + text + "\"");
        }
        return new BalanceTuning(
                text.substring(0, dot).strip(),
                text.substring(dot + 1, equals).strip(),
                text.substring(equals + 1).strip());
    }

    @Override
    public String toString() {
        return name + "." + key + "=" + value;
    }
}
