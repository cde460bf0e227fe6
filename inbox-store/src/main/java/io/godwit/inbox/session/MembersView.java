package io.godwit.inbox.session;

import java.util.Set;

/**
 * The members of the cluster as all agreed on them: of one revision there is one view.
 *
 * @param revision rises with each change; not every node sees each of them
 * @param serving those that own client ids
 * @param joining those that have or may soon have connections and own nothing yet; no life is in both
 */
public record MembersView(long revision, Set<MemberLife> serving, Set<MemberLife> joining) {
    public MembersView {
        serving = Set.copyOf(serving);
        joining = Set.copyOf(joining);
        for (MemberLife life : joining) {
            if (serving.contains(life)) {
                throw new IllegalArgumentException(life + " is joining and serving at once");
            }
        }
    }

    boolean has(MemberLife life) {
        return serving.contains(life) || joining.contains(life);
    }
}
