//! The session of RFC 8448 section 3, whose server has a key that no verifier accepts today, and whose client asks for
//! no protocol: so it is opened step by step.

use super::super::handshake::HandshakeSecrets;
use super::super::keys::{Schedule, Secret};
use super::super::record::records;
use super::super::{Expected, script, verify};
use super::super::{Keys, Suite, content};
use crate::error::{Error, Why};
use crate::recording::{Recording, Side};
use sha2::{Digest, Sha256};

const CLIENT_HELLO: &str = "\
    16030100c4010000c00303cb34ecb1e78163ba1c38c6dacb196a6dffa21a8d9912ec18a2ef6283024dece70000061301\
    13031302010000910000000b0009000006736572766572ff01000100000a00140012001d001700180019010001010102\
    0103010400230000003300260024001d002099381de560e4bd43d23d8e435a7dbafeb3c06e51c13cae4d5413691e529a\
    af2c002b0003020304000d0020001e040305030603020308040805080604010501060102010402050206020202002d00\
    020101001c00024001";
const SERVER_HELLO: &str = "\
    160303005a020000560303a6af06a4121860dc5e6e60249cd34c95930c8ac5cb1434dac155772ed3e269280013010000\
    2e00330024001d0020c9828876112095fe66762bdbf7c672e156d6cc253b833df1dd69b1b04e751f0f002b00020304";
const FLIGHT: &str = "\
    17030302a2d1ff334a56f5bff6594a07cc87b580233f500f45e489e7f33af35edf7869fcf40aa40aa2b8ea73f848a7ca\
    07612ef9f945cb960b4068905123ea78b111b429ba9191cd05d2a389280f526134aadc7fc78c4b729df828b5ecf7b13b\
    d9aefb0e57f271585b8ea9bb355c7c79020716cfb9b1183ef3ab20e37d57a6b9d7477609aee6e122a4cf51427325250c\
    7d0e509289444c9b3a648f1d71035d2ed65b0e3cdd0cbae8bf2d0b227812cbb360987255cc744110c453baa4fcd61092\
    8d809810e4b7ed1a8fd991f06aa6248204797e36a6a73b70a2559c09ead686945ba246ab66e5edd8044b4c6de3fcf2a8\
    9441ac66272fd8fb330ef8190579b3684596c960bd596eea520a56a8d650f563aad27409960dca63d3e688611ea5e22f\
    4415cf9538d51a200c27034272968a264ed6540c84838d89f72c24461aad6d26f59ecaba9acbbb317b66d902f4f292a3\
    6ac1b639c637ce343117b659622245317b49eeda0c6258f100d7d961ffb138647e92ea330faeea6dfa31c7a84dc3bd7e\
    1b7a6c7178af36879018e3f252107f243d243dc7339d5684c8b0378bf30244da8c87c843f5e56eb4c5e8280a2b48052c\
    f93b16499a66db7cca71e4599426f7d461e66f99882bd89fc50800becca62d6c74116dbd2972fda1fa80f85df881edbe\
    5a37668936b335583b599186dc5c6918a396fa48a181d6b6fa4f9d62d513afbb992f2b992f67f8afe67f76913fa388cb\
    5630c8ca01e0c65d11c66a1e2ac4c85977b7c7a6999bbf10dc35ae69f5515614636c0b9b68c19ed2e31c0b3b66763038\
    ebba42f3b38edc0399f3a9f23faa63978c317fc9fa66a73f60f0504de93b5b845e275592c12335ee340bbc4fddd50278\
    4016e4b3be7ef04dda49f4b440a30cb5d2af939828fd4ae3794e44f94df5a631ede42c1719bfdabf0253fe5175be898e\
    750edc53370d2b";
const CLIENT_FINISHED: &str = "\
    170303003575ec4dc238cce60b298044a71e219c56cc77b0517fe9b93c7a4bfc44d87f38f80338ac98fc46deb384bd1c\
    aeacab6867d726c40546";
const TICKET: &str = "\
    17030300de3a6b8f90414a97d6959c3487680de5134a2b240e6cffac116e95d41d6af8f6b580dcf3d11d63c758db289a\
    015940252f55713e061dc13e078891a38efbcf5753ad8ef170ad3c7353d16d9da773b9ca7f2b9fa1b6c0d4a3d03f75e0\
    9c30ba1e62972ac46f75f7b981be63439b2999ce13064615139891d5e4c5b406f16e3fc181a77ca475840025db2f0a77\
    f81b5ab05b94c01346755f69232c86519d86cbeeac87aac347d143f9605d64f650db4d023e70e952ca49fe5137121c74\
    bc2697687e248746d6df353005f3bce18696129c8153556b3b6c6779b37bf15985684f";
const CLIENT_DATA: &str = "\
    1703030043a23f7054b62c94d0affafe8228ba55cbefacea42f914aa66bcab3f2b9819a8a5b46b395bd54a9a20441e2b\
    62974e1f5a6292a2977014bd1e3deae63aeebb21694915e4";
const SERVER_DATA: &str = "\
    17030300432e937e11ef4ac740e538ad36005fc4a46932fc3225d05f82aa1b36e30efaf97d90e6dffc602dcb501a59a8\
    fcc49c4bf2e5f0a21c0047c2abf332540dd032e167c2955d";
const CLIENT_ALERT: &str = "1703030013c9872760655666b74d7ff1153efd6db6d0b0e3";
const SERVER_ALERT: &str = "1703030013b58fd67166ebf599d24720cfbe7efa7a8864a9";

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect()
}

fn secret(hex: &str) -> Secret {
    Secret::new(bytes(hex).try_into().unwrap())
}

/// The digest of messages.
fn hash(messages: &[&[u8]]) -> [u8; 32] {
    Sha256::digest(messages.concat()).into()
}

#[test]
fn a_published_session_opens() {
    let mut recording = Recording::new();
    let sent = [CLIENT_HELLO, CLIENT_FINISHED, CLIENT_DATA, CLIENT_ALERT];
    sent.iter().for_each(|record| recording.push(Side::Client, &bytes(record), 0));
    let sent = [SERVER_HELLO, FLIGHT, TICKET, SERVER_DATA, SERVER_ALERT];
    sent.iter().for_each(|record| recording.push(Side::Server, &bytes(record), 0));
    let [client, server] =
        [Side::Client, Side::Server].map(|side| records(side, recording.stream(side)).unwrap());

    let hellos: [&[u8]; 2] = [client[0].fragment(), server[0].fragment()];
    let hello_hash = hash(&hellos);
    assert_eq!(
        hello_hash.to_vec(),
        bytes("860c06edc07858ee8e78f0e7428c58edd6b43f2ca3e6e95f02ed063cf0e1cad8")
    );
    let handshake = secret("1dc826e93606aa6fdc0aadc12f741b01046aa6b99f691ed221a9f0ca043fbeac");
    let schedule = Schedule::new(&handshake, &hello_hash);
    let published = [
        (&schedule.client_handshake, "b3eddb126e067f35a780b3abf45e2d8f3b1a950738f52e9600746a0e27a55a21"),
        (&schedule.server_handshake, "b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38"),
    ];
    for (derived, published) in published {
        assert_eq!(derived.bytes().to_vec(), bytes(published));
    }
    let inner = Keys::new(Suite::Aes128, &schedule.server_handshake).open(0, &server[1]).unwrap();
    let (kind, flight) = content(&inner).unwrap();
    assert_eq!((kind, flight.len()), (22, 657));
    let (before, finished) = flight.split_at(657 - 36);
    let code = schedule.server_handshake.finished(&hash(&[hellos[0], hellos[1], before]));
    assert_eq!(finished, [&[20, 0, 0, 32][..], &code].concat());
    let finished_hash = hash(&[hellos[0], hellos[1], flight]);
    assert_eq!(
        finished_hash.to_vec(),
        bytes("9608102a0f1ccc6db6250b7b7e417b1a000eaada3daae4777a7686c9ff83df13")
    );
    let inner = Keys::new(Suite::Aes128, &schedule.client_handshake).open(0, &client[1]).unwrap();
    let code = schedule.client_handshake.finished(&finished_hash);
    assert_eq!(content(&inner).unwrap(), (22, &[&[20, 0, 0, 32][..], &code].concat()[..]));

    let keys = schedule.application(Suite::Aes128, &finished_hash);
    let parts = keys.each_ref().map(Keys::parts);
    assert_eq!(parts[0].0.to_vec(), bytes("17422dda596ed5d9acd890e3c63f5051"));
    assert_eq!(parts[0].1.to_vec(), bytes("5b78923dee08579033e523d9"));
    assert_eq!(parts[1].0.to_vec(), bytes("9f02283b6c9c07efc26bb9f2ac92e356"));
    assert_eq!(parts[1].1.to_vec(), bytes("cf782b88dd83549aadf1e984"));
    let kind = |keys: &Keys, sequence, record| content(&keys.open(sequence, record).unwrap()).unwrap().0;
    assert_eq!([kind(&keys[0], 0, &client[2]), kind(&keys[0], 1, &client[3])], [23, 21]);
    let of_server = [2, 3, 4].map(|at| kind(&keys[1], at as u64 - 2, &server[at]));
    assert_eq!(of_server, [22, 23, 21]);

    // As a whole it is refused where it offers other suites.
    let secrets = HandshakeSecrets { client: schedule.client_handshake, server: schedule.server_handshake };
    let roots = script::roots();
    let expected = Expected { name: "server", ..script::expected(&roots) };
    let Err(Error::Refused(refusal)) = verify(&recording, &secrets, &expected) else { panic!() };
    assert_eq!(refusal.why, Why::Suites(vec![Suite::Aes128]));
}
