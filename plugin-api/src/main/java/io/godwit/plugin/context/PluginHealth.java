package io.godwit.plugin.context;

/**
 * The state of a plugin.
 *
 * @param isUp whether it works
 * @param detail what is wrong, for operators; only the first 200 characters are shown
 */
public record PluginHealth(boolean isUp, String detail) {
    /** All is well. */
    public static final PluginHealth UP = new PluginHealth(true, "");

    /** Something is wrong. */
    public static PluginHealth down(String detail) {
        return new PluginHealth(false, detail);
    }
}
