package io.godwit.perf.rows;

import org.jspecify.annotations.Nullable;

/**
 * The event loops of this tool.
 *
 * @param usual half as many as the machine has cores, unless the user wants another number: brokers run beside them
 * @param reconnecting while many clients connect at once and nothing else happens: one for each core, because a single
 *     loop opens fewer connections a second than two brokers accept
 */
public record ToolLoops(int usual, int reconnecting) {
    private static final int MOST = 256;

    /**
     * @param wanted for all loads; null for the usual numbers
     * @throws IllegalArgumentException if it is out of bounds; it names the option
     */
    public static ToolLoops of(@Nullable Integer wanted, int cores) {
        if (wanted == null) {
            return new ToolLoops(Math.min(MOST, Math.max(1, cores / 2)), Math.min(MOST, Math.max(1, cores)));
        }
        if (wanted < 1 || wanted > MOST) {
            throw new IllegalArgumentException("--loops must be 1 to " + MOST + ", was " + wanted);
        }
        return new ToolLoops(wanted, wanted);
    }
}
