package io.godwit.inbox.session.port;

import java.util.Set;

/**
 * The members of the cluster as the directory of sessions sees them: one view per revision, agreed on by all.
 *
 * @param revision rises with each change; a node may skip some
 * @param serving members that own client ids
 * @param joining members that have or may soon have connections but own nothing yet; no incarnation is in both sets
 */
public record DirectoryView(long revision, Set<MemberLife> serving, Set<MemberLife> joining) {
    public DirectoryView {
        serving = Set.copyOf(serving);
        joining = Set.copyOf(joining);
        for (MemberLife life : joining) {
            if (serving.contains(life)) {
                throw new IllegalArgumentException(life + " is joining and serving at once");
            }
        }
    }

    public boolean has(MemberLife life) {
        return serving.contains(life) || joining.contains(life);
    }
}
