package io.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.muster.contract.agent.MemberPhase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ranks as a user of their own; only root can test it. */
class RankUserTest {

    @Test
    void ranksRunAsTheirOwnUserWithAHomeTheyCanUseAndNothingOfTheAgents(@TempDir Path folder) throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "skipped: not root");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        try (AgentFixture node = new AgentFixture(folder)) {
            node.env.put("MUSTER_RANK_UID", "54321");
            node.startInside();
            String script = "import os, socket; print(os.getuid(), os.getgid(), os.getgroups());"
                    + "open('x','w').write('y'); open(os.environ['TMPDIR']+'/x','w').write('y');"
                    + "s=socket.socket(socket.AF_UNIX); s.connect(os.environ['MUSTER_AGENT_SOCKET']); print('connected');"
                    + "print(os.environ['MINE']);"
                    + "print(os.access('" + node.home.resolve("credential.json") + "', os.R_OK),"
                    + " os.access('" + node.home.resolve("control") + "', os.X_OK))";
            node.run(node.gang().python(script).env("MINE", "a=b c"), 1);
            assertThat(node.await(1, MemberPhase.EXITED)
                            .ranks()
                            .getFirst()
                            .exit()
                            .code())
                    .as(Files.readString(node.folder(1).resolve("rank-0.log")))
                    .isZero();
            assertThat(Files.readAllLines(node.storedLog(1, 0)))
                    .containsExactly("54321 54321 []", "connected", "a=b c", "False False");
        }
    }
}
