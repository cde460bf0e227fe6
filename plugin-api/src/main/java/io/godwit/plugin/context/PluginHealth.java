package io.godwit.plugin.context;

/**
 * How a plugin is.
 *
 * @param isUp whether it does what it should
 * @param detail for operators: what is wrong, at most 200 characters of it are shown
 */
public record PluginHealth(boolean isUp, String detail) {
    /** All is well. */
    public static final PluginHealth UP = new PluginHealth(true, "");

    /** Something is wrong. */
    public static PluginHealth down(String detail) {
        return new PluginHealth(false, detail);
    }
}
