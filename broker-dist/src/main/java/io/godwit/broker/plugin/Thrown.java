package io.godwit.broker.plugin;

/** Says what a plugin has thrown. That is an object of the plugin too: its methods may throw in their turn. */
final class Thrown {
    private Thrown() {}

    /** For messages. Throws nothing. */
    static String text(Throwable thrown) {
        String text;
        try {
            text = String.valueOf(thrown);
        } catch (Throwable e) { // outermost frame of the plugin
            text = thrown.getClass().getName();
        }
        return thrown instanceof LinkageError
                ? text + " (is it compiled for the plugin-api of another version?)"
                : text;
    }
}
