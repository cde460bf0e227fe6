package io.godwit.broker.plugin.context;

/** Describes an exception of a plugin. It is an object of the plugin, so its methods may throw, too. */
public final class Thrown {
    private Thrown() {}

    /** For messages. Never throws. */
    public static String text(Throwable thrown) {
        String text;
        try {
            text = String.valueOf(thrown);
        } catch (Throwable e) { // outermost frame of the plugin
            text = thrown.getClass().getName();
        }
        return thrown instanceof LinkageError ? text + " (was it compiled for another version of plugin-api?)" : text;
    }
}
