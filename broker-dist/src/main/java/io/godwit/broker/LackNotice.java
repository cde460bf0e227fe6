package io.godwit.broker;

import java.util.function.Consumer;

/**
 * Tells why a node does not acknowledge, once that has lasted from one look to the next; and that it is over. Confined
 * to one thread.
 */
final class LackNotice {
    private String before = "";
    private String told = "";

    /**
     * Looks once more.
     *
     * @param lack in words; empty for none
     * @param tell given what has changed since it was called last
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
