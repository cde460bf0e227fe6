package io.godwit.broker.cluster;

import java.util.function.Consumer;

/**
 * Reports why a node does not acknowledge, once a reason has lasted from one look to the next, and reports the end.
 * Confined to one thread.
 */
final class LackNotice {
    private String before = "";
    private String told = "";

    /**
     * Looks once.
     *
     * @param lack the current reason; empty for none
     * @param tell receives the reason, or an empty text for the end, if it differs from the last one reported
     */
    void look(String lack, Consumer<String> tell) {
        boolean isNew = !lack.isEmpty() && !lack.equals(before);
        before = lack;
        if (!isNew && !lack.equals(told)) {
            told = lack;
            tell.accept(lack);
        }
    }
}
