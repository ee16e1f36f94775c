/// The codes of a language: ISO 639-1 has two letters; ISO 639-2 has three, for some languages in two forms.
///
/// Containers differ: MP4 needs the terminological form (`deu`), Matroska the bibliographic one (`ger`), BCP 47
/// the two-letter code if there is one (`de`). The table has every language of ISO 639-1.
public struct LanguageCode: Hashable, Sendable {
  /// ISO 639-1.
  public let twoLetters: String
  /// ISO 639-2/T.
  public let terminological: String
  /// ISO 639-2/B.
  public let bibliographic: String

  /// Finds the language of `code`, in any of the three forms; `nil` if it is unknown.
  public init?(_ code: some StringProtocol) {
    guard let found = Self.byCode[code.lowercased()] else { return nil }
    self = found
  }

  /// Returns a BCP 47 tag in its usual letter case, such as `zh-Hant-TW` (RFC 5646 2.1.1).
  public static func tag(_ text: String) -> String {
    text.lowercased().split(separator: "-").enumerated().map { index, part in
      switch (index, part.count) {
      case (1..., 2): part.uppercased()
      case (1..., 4): part.prefix(1).uppercased() + part.dropFirst()
      default: String(part)
      }
    }.joined(separator: "-")
  }

  /// Returns `true` if the language `tag` of a track is in a range such as `de` or `pt-BR` (RFC 4647 3.3.1).
  ///
  /// The codes of ISO 639-2 are equal to those of ISO 639-1.
  package static func matches(_ tag: String, range: String) -> Bool {
    func parts(_ text: String) -> [String] {
      var parts = text.lowercased().split { "-_".contains($0) }.map(String.init)
      if let first = parts.first { parts[0] = LanguageCode(first)?.terminological ?? first }
      return parts
    }
    let (tag, range) = (parts(tag), parts(range))
    return !range.isEmpty && tag.starts(with: range)
  }

  private init(row: Substring) {
    let codes = row.split(separator: " ").map(String.init)
    (twoLetters, terminological) = (codes[0], codes[1])
    bibliographic = codes.last ?? codes[1]
  }

  private static let byCode: [String: LanguageCode] = {
    var result: [String: LanguageCode] = [:]
    for row in table.split(whereSeparator: { ",\n".contains($0) }) {
      let code = LanguageCode(row: row)
      for name in [code.twoLetters, code.terminological, code.bibliographic] { result[name] = code }
    }
    return result
  }()

  /// ISO 639-1, ISO 639-2/T, and ISO 639-2/B where that differs.
  private static let table = """
    aa aar,ab abk,ae ave,af afr,ak aka,am amh,an arg,ar ara,as asm,av ava,ay aym,az aze,ba bak,be bel
    bg bul,bi bis,bm bam,bn ben,bo bod tib,br bre,bs bos,ca cat,ce che,ch cha,co cos,cr cre,cs ces cze
    cu chu,cv chv,cy cym wel,da dan,de deu ger,dv div,dz dzo,ee ewe,el ell gre,en eng,eo epo,es spa
    et est,eu eus baq,fa fas per,ff ful,fi fin,fj fij,fo fao,fr fra fre,fy fry,ga gle,gd gla,gl glg
    gn grn,gu guj,gv glv,ha hau,he heb,hi hin,ho hmo,hr hrv,ht hat,hu hun,hy hye arm,hz her,ia ina
    id ind,ie ile,ig ibo,ii iii,ik ipk,io ido,is isl ice,it ita,iu iku,ja jpn,jv jav,ka kat geo,kg kon
    ki kik,kj kua,kk kaz,kl kal,km khm,kn kan,ko kor,kr kau,ks kas,ku kur,kv kom,kw cor,ky kir,la lat
    lb ltz,lg lug,li lim,ln lin,lo lao,lt lit,lu lub,lv lav,mg mlg,mh mah,mi mri mao,mk mkd mac,ml mal
    mn mon,mr mar,ms msa may,mt mlt,my mya bur,na nau,nb nob,nd nde,ne nep,ng ndo,nl nld dut,nn nno
    no nor,nr nbl,nv nav,ny nya,oc oci,oj oji,om orm,or ori,os oss,pa pan,pi pli,pl pol,ps pus,pt por
    qu que,rm roh,rn run,ro ron rum,ru rus,rw kin,sa san,sc srd,sd snd,se sme,sg sag,si sin,sk slk slo
    sl slv,sm smo,sn sna,so som,sq sqi alb,sr srp,ss ssw,st sot,su sun,sv swe,sw swa,ta tam,te tel
    tg tgk,th tha,ti tir,tk tuk,tl tgl,tn tsn,to ton,tr tur,ts tso,tt tat,tw twi,ty tah,ug uig,uk ukr
    ur urd,uz uzb,ve ven,vi vie,vo vol,wa wln,wo wol,xh xho,yi yid,yo yor,za zha,zh zho chi,zu zul
    """
}
