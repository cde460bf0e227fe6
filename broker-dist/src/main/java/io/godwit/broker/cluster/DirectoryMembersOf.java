package io.godwit.broker.cluster;

import io.godwit.dist.member.ClusterMembers;
import io.godwit.dist.member.view.MembersView;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.inbox.session.DirectoryMembers;
import io.godwit.inbox.session.port.DirectoryView;
import io.godwit.inbox.session.port.MemberLife;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Translates the agreed members into types of the inbox store. */
final class DirectoryMembersOf implements DirectoryMembers {
    private final ClusterMembers members;

    DirectoryMembersOf(ClusterMembers members) {
        this.members = members;
    }

    private static MemberLife life(NodeLife life) {
        return new MemberLife(life.nodeId(), life.incarnation());
    }

    private static Set<MemberLife> lives(Set<NodeLife> lives) {
        return lives.stream().map(DirectoryMembersOf::life).collect(Collectors.toSet());
    }

    /**
     * A lapsed member counts as joining: it still has connections, and nobody else may have their client ids until it
     * is evicted.
     */
    static DirectoryView of(MembersView view) {
        Set<MemberLife> serving = lives(view.serving());
        Set<MemberLife> others = new HashSet<>();
        view.members().forEach(member -> others.add(life(member.life())));
        others.removeAll(serving);
        return new DirectoryView(view.revision(), serving, others);
    }

    @Override
    public MemberLife own() {
        return life(members.self());
    }

    @Override
    public DirectoryView view() {
        return of(members.view());
    }

    @Override
    public void listen(Consumer<DirectoryView> listener) {
        members.onChange(view -> listener.accept(of(view)));
    }

    @Override
    public boolean mayGrant() {
        return members.mayAcknowledge();
    }

    @Override
    public boolean takesConnections() {
        return members.takesClients();
    }

    @Override
    public void missing(MemberLife member, String why) {
        members.excludeSilent(new NodeLife(member.nodeId(), member.incarnation()), why);
    }
}
